package io.weir.node.intake;

import io.netty.handler.flush.FlushConsolidationHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Sends together what is written to a connection in one turn of its event loop. Vert.x sends the message and the end of
 * each answer by themselves, and a batch of decisions has answers to many calls of one connection.
 */
public final class JointFlushes {
  /** More are sent at once. */
  private static final int MOST = 256;

  private JointFlushes() {}

  /** For a connection from its start on. */
  public static void on(HttpConnection connection) {
    ((ConnectionBase) connection)
        .channel()
        .pipeline()
        .addFirst(new FlushConsolidationHandler(MOST, true));
  }
}
