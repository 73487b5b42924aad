package io.weir.node.resp;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.node.auth.Addresses;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.FairReads;
import io.weir.node.intake.Handshake;
import io.weir.node.intake.LastReads;
import io.weir.node.intake.OpenConnections.Connection;
import io.weir.node.intake.PortServer;
import io.weir.node.intake.Strangers;
import io.weir.node.intake.Strangers.Stranger;
import io.weir.node.intake.WorkRounds;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Serves the port for clients of Redis on one event loop. Mutable; owned by its event loop.
 */
public final class RespServer implements PortServer {
  /** For each event loop. */
  private static final int MOST_CONNECTIONS = 5000;

  private static final int MOST_STRANGERS = 200;

  private final NetServer server;
  private final LongSupplier ids;
  private final TokenGuard services;
  private final Strangers strangers;
  private final RespCommands commands;
  private final Bulkhead memory;
  private final WorkRounds rounds;

  /**
   * @param options of its port, with TLS if it has any
   * @param ids a new one for each connection, unique in the node
   * @param services admit the service token
   * @param memory bytes of all requests of the node
   */
  public RespServer(
      Vertx vertx,
      NetServerOptions options,
      LongSupplier ids,
      TokenGuard services,
      RespCommands commands,
      Bulkhead memory) {
    this.strangers = new Strangers(vertx, MOST_CONNECTIONS, MOST_STRANGERS);
    this.ids = ids;
    this.services = services;
    this.commands = commands;
    this.memory = memory;
    this.rounds = WorkRounds.of(vertx);
    this.server = vertx.createNetServer(options).connectHandler(this::welcome);
  }

  @Override
  public Future<NetServer> listen(Address address) {
    return server.listen(address.port(), address.host());
  }

  @Override
  public Future<Void> shutdown(long millis) {
    return server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  private void welcome(NetSocket socket) {
    LastReads.before((ConnectionBase) socket);
    String network = Addresses.network(socket.remoteAddress().hostAddress());
    Optional<Connection> counted = Handshake.end((ConnectionBase) socket);
    Optional<Stranger> welcomed =
        counted.flatMap(connection -> strangers.welcome(network, socket::close));
    if (welcomed.isEmpty()) {
      socket
          .write(RespAnswer.error("ERR max number of clients reached"))
          .onComplete(over -> socket.close());
      return;
    }
    FairReads.once(socket);
    Stranger stranger = welcomed.get();
    RespConnection connection = new RespConnection(
        ids.getAsLong(),
        socket,
        new ShownToken(services, stranger::isKnown),
        commands,
        new RespMemory(memory, network),
        rounds);
    counted.ifPresent(each -> each.watch(connection));
    socket.closeHandler(closed -> {
      stranger.closed();
      connection.closed();
    });
  }
}
