package io.weir.node.intake;

import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/** The streams of a connection of HTTP/2 that are open. */
public final class OpenStreams {
  private OpenStreams() {}

  /**
   * Bounds them. The bound in the settings applies only when the caller has acknowledged it (RFC 9113, section 6.5.3); this
   * one applies to a caller that never does, too.
   */
  public static void bound(HttpConnection connection, int most) {
    if (((ConnectionBase) connection).channelHandlerContext().handler()
        instanceof Http2ConnectionHandler handler) {
      handler.connection().remote().maxActiveStreams(most);
    }
  }
}
