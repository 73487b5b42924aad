package io.weir.node.intake;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.concurrent.TimeUnit;

/**
 * Reads what has arrived on a connection before the connection learns that the node stops. Vert.x closes a connection
 * without a request at once, and a request that was not read yet would get no answer. Mutable; owned by one connection.
 */
public final class LastReads extends ChannelInboundHandlerAdapter {
  // An event loop reads before it runs a task that became due since it read.
  private static final long READS_MILLIS = 1;

  /** Watches a connection of Vert.x from its start. */
  public static void before(ConnectionBase connection) {
    ChannelHandlerContext last = connection.channelHandlerContext();
    last.pipeline().addBefore(last.name(), null, new LastReads());
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ShutdownEvent) {
      then(context, () -> context.fireUserEventTriggered(event));
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  /** Does something when what has arrived on a connection has been read. */
  static void then(ChannelHandlerContext context, Runnable task) {
    var unused = context.executor().schedule(task, READS_MILLIS, TimeUnit.MILLISECONDS);
  }
}
