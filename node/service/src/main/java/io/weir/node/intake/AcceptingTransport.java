package io.weir.node.intake;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;

/**
 * Another transport, and a handler that gets each connection that a port accepts: Vert.x shows a connection only after its
 * handshake. Immutable; as safe for use by many threads as the other one.
 */
@SuppressWarnings("deprecation") // the interface names them
final class AcceptingTransport implements Transport {
  private final Transport other;
  private final Function<NetServerOptions, ChannelHandler> ofPort;

  /** @param ofPort the handler for a port with these options */
  AcceptingTransport(Transport other, Function<NetServerOptions, ChannelHandler> ofPort) {
    this.other = other;
    this.ofPort = ofPort;
  }

  @Override
  public void configure(NetServerOptions options, boolean isDomain, ServerBootstrap bootstrap) {
    other.configure(options, isDomain, bootstrap);
    bootstrap.handler(ofPort.apply(options));
  }

  @Override
  public void configure(
      ClientOptionsBase options, int timeout, boolean isDomain, Bootstrap bootstrap) {
    other.configure(options, timeout, isDomain, bootstrap);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    other.configure(channel, options);
  }

  @Override
  public boolean supportsDomainSockets() {
    return other.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return other.supportFileRegion();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return other.convert(address);
  }

  @Override
  public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
    return other.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return other.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
    return other.eventLoopGroup(type, threads, factory, ioRatio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return other.datagramChannel();
  }

  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return other.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean isDomain) {
    return other.channelFactory(isDomain);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean isDomain) {
    return other.serverChannelFactory(isDomain);
  }
}
