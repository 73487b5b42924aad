package io.weir.node.intake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.net.impl.ShutdownEvent;
import io.weir.node.auth.Addresses;
import io.weir.node.intake.OpenConnections.Connection;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The time between the acceptance of a connection and its first use by its port: a handshake of TLS, or the bytes by which
 * the port for Envoy knows the protocol. The connection is counted from its acceptance until it is closed. After 2 s
 * without an end, it is the first that makes room; after 10 s, it is closed. Mutable; owned by one connection.
 */
public final class Handshake extends ChannelInboundHandlerAdapter {
  // Two lost packets of a handshake cost less.
  static final int SLOW_SECONDS = 2;
  static final int MOST_SECONDS = 10;

  private final Function<EventLoop, OpenConnections> connections;
  private Optional<Connection> counted = Optional.empty();
  private List<Future<?>> timers = List.of();

  /** @param connections of an event loop: the connection is of none before it is registered */
  Handshake(Function<EventLoop, OpenConnections> connections) {
    this.connections = connections;
  }

  /**
   * Ends that of a connection, which its port serves from now on.
   *
   * @return empty if there is no room for it: it is to be closed
   */
  public static Optional<Connection> end(ConnectionBase connection) {
    return end(connection.channel().pipeline());
  }

  static Optional<Connection> end(ChannelPipeline pipeline) {
    Handshake handshake = Objects.requireNonNull(pipeline.get(Handshake.class));
    pipeline.remove(handshake);
    handshake.counted.ifPresent(Connection::handshakeEnded);
    return handshake.counted;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Channel channel = context.channel();
    counted = connections.apply(channel.eventLoop()).admit(network(channel), () -> close(context));
    counted.ifPresent(
        connection -> channel.closeFuture().addListener(closed -> connection.closed()));
  }

  private static String network(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? Addresses.network(address.getAddress().getHostAddress())
        : ""; // it is closed already
  }

  // Without an end of the handshake, no byte is sent: the peer may not read any.
  private static void close(ChannelHandlerContext context) {
    var unused = context.isRemoved() ? context.channel().close() : context.close();
  }

  // Ports without a handshake serve a connection before it is active.
  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (counted.isEmpty()) {
      close(context);
      return;
    }
    Connection connection = counted.get();
    timers = List.of(
        context.executor().schedule(connection::handshakeIsSlow, SLOW_SECONDS, TimeUnit.SECONDS),
        context.executor().schedule(() -> close(context), MOST_SECONDS, TimeUnit.SECONDS));
    context.fireChannelActive();
  }

  // Vert.x waits for all connections of a server that stops. A handshake that ends with what has
  // arrived goes on.
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ShutdownEvent) {
      LastReads.then(context, () -> stop(context, event));
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  private static void stop(ChannelHandlerContext context, Object event) {
    if (context.isRemoved()) {
      context.pipeline().fireUserEventTriggered(event);
    } else {
      close(context);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    timers.forEach(timer -> timer.cancel(false));
  }
}
