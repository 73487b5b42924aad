package io.weir.node.intake;

import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.node.intake.OpenConnections.Requests;

/** The streams of a connection of HTTP/2 that are open. Owned by its event loop. */
public final class OpenStreams implements Requests {
  private final Http2Connection connection;

  private OpenStreams(Http2Connection connection) {
    this.connection = connection;
  }

  /**
   * Bounds them. The bound in the settings applies only when the caller has acknowledged it (RFC 9113, section 6.5.3); this
   * one applies to a caller that never does, too.
   *
   * @return the requests of the connection; none if it is of HTTP/1.1
   */
  public static Requests bound(HttpConnection connection, int most) {
    if (((ConnectionBase) connection).channelHandlerContext().handler()
        instanceof Http2ConnectionHandler handler) {
      handler.connection().remote().maxActiveStreams(most);
      return new OpenStreams(handler.connection());
    }
    return Requests.NONE;
  }

  @Override
  public boolean areOpen() {
    return connection.numActiveStreams() > 0;
  }

  @Override
  public long begun() {
    return connection.remote().lastStreamCreated();
  }
}
