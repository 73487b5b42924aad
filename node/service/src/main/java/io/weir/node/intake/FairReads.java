package io.weir.node.intake;

import io.netty.channel.Channel;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.function.BooleanSupplier;

/**
 * Reads a connection once in an iteration of its event loop, not up to 16 times, as Netty does while more is there:
 * little while requests come, much while a body comes. Mutable; owned by one connection.
 */
public final class FairReads extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int LITTLE_BYTES = 4 << 10;
  private static final int MUCH_BYTES = 64 << 10;

  private final BooleanSupplier isWithinBody;

  private FairReads(BooleanSupplier isWithinBody) {
    super(1);
    this.isWithinBody = isWithinBody;
  }

  /** Reads a connection once in an iteration, as much as Netty finds useful. */
  public static void once(HttpConnection connection) {
    once(((ConnectionBase) connection).channel());
  }

  /** The same for a connection without HTTP. */
  public static void once(NetSocket socket) {
    once(((NetSocketInternal) socket).channelHandlerContext().channel());
  }

  private static void once(Channel channel) {
    if (channel.config().getRecvByteBufAllocator()
        instanceof MaxMessagesRecvByteBufAllocator reads) {
      reads.maxMessagesPerRead(1);
    }
  }

  /** Reads a connection once in an iteration, and little, unless a body comes or it has been read before. */
  static void little(Channel channel, BooleanSupplier isWithinBody) {
    once(channel); // holds for a connection that has been read, too
    channel.config().setRecvByteBufAllocator(new FairReads(isWithinBody));
  }

  @Override
  @SuppressWarnings("deprecation") // the interface names it
  public RecvByteBufAllocator.Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return isWithinBody.getAsBoolean() ? MUCH_BYTES : LITTLE_BYTES;
      }
    };
  }
}
