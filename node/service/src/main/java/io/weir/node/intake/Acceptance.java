package io.weir.node.intake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.metrics.ConnectionMeters;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections of a node from their acceptance on, those of all ports of an event loop together. Connections of
 * operators at a port of their own are not bounded. Safe for use by many threads.
 */
public final class Acceptance {
  private final Optional<Address> operators;
  private final ConnectionMeters meters;
  private final Counting bounded;
  private final Counting unbounded;

  /**
   * @param mostOfLoop the most connections of an event loop, at least one
   * @param operators their own port
   */
  public Acceptance(int mostOfLoop, Optional<Address> operators, ConnectionMeters meters) {
    this.operators = operators;
    this.meters = meters;
    this.bounded = new Counting(mostOfLoop);
    this.unbounded = new Counting(Integer.MAX_VALUE);
  }

  /** A transport of Vert.x that counts what it accepts: the native one if it is available. */
  public Transport transport() {
    Transport own = Optional.ofNullable(Transport.nativeTransport())
        .filter(Transport::available)
        .orElse(Transport.NIO);
    return new TransportInternal(
        own.name(), true, null, new AcceptingTransport(own.implementation(), this::ofPort));
  }

  // The options of a port have its address, see NodeVerticle.
  private Counting ofPort(NetServerOptions options) {
    return operators
            .filter(own -> own.port() == options.getPort() && own.host().equals(options.getHost()))
            .isPresent()
        ? unbounded
        : bounded;
  }

  /** In the pipeline of a port: gets each accepted connection, and counts it on its event loop. */
  @Sharable
  private final class Counting extends ChannelInboundHandlerAdapter {
    private final int most;
    private final Map<EventLoop, OpenConnections> ofLoops = new ConcurrentHashMap<>();

    Counting(int most) {
      this.most = most;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      ((Channel) accepted).pipeline().addLast(new Handshake(this::ofLoop));
      context.fireChannelRead(accepted);
    }

    private OpenConnections ofLoop(EventLoop loop) {
      return ofLoops.computeIfAbsent(loop, of -> new OpenConnections(most, meters));
    }
  }
}
