package io.weir.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServerOptions;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.ServicePort;
import io.weir.node.envoy.Corrections;
import io.weir.node.envoy.EnvoyServer;
import io.weir.node.envoy.NodeAssignments;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.PortServer;
import io.weir.node.resp.RespCommands;
import io.weir.node.resp.RespServer;
import io.weir.state.assignment.RedisAssignments;
import io.weir.state.hold.RedisCorrections;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The ports for other protocols than HTTP with JSON, on one event loop. Mutable; owned by its event loop. */
final class ProtocolPorts {
  /**
   * The resets of a connection in 30 s: a thousand a second. Envoy resets each call that takes longer than its timeout, by
   * default 20 ms: all of a thread's calls while Redis is slow.
   */
  private static final int MOST_RESETS = 30_000;

  private final Vertx vertx;
  private final NodeContext node;
  private final NodeParts parts;
  private final LongSupplier connectionIds;
  private final WaitingDecider decider;
  private final List<PortServer> servers = new ArrayList<>();

  /**
   * @param connectionIds unique among all event loops of the node
   */
  ProtocolPorts(Vertx vertx, NodeContext node, LongSupplier connectionIds, WaitingDecider decider) {
    this.vertx = vertx;
    this.node = node;
    this.parts = node.parts();
    this.connectionIds = connectionIds;
    this.decider = decider;
  }

  /** Opens those that the configuration has. */
  Future<?> listen() {
    List<Future<?>> listening = new ArrayList<>();
    parts.config().listening().services().forEach((port, address) -> {
      PortServer server = server(port);
      servers.add(server);
      listening.add(server.listen(address));
    });
    return Future.all(listening);
  }

  private PortServer server(ServicePort port) {
    return switch (port) {
      case RESP -> resp();
      case ENVOY -> envoy();
    };
  }

  /** Closes them, and after this time their connections. */
  List<Future<Void>> shutdown(long millis) {
    return servers.stream().map(server -> server.shutdown(millis)).toList();
  }

  private RespServer resp() {
    return new RespServer(
        vertx,
        secured(new NetServerOptions().setReuseAddress(true).setTcpKeepAlive(true)),
        connectionIds,
        services(),
        new RespCommands(vertx.getOrCreateContext(), parts.policies(), parts.identities(), decider),
        parts.memory());
  }

  private EnvoyServer envoy() {
    RedisCorrections corrections = new RedisCorrections(parts.redis());
    return new EnvoyServer(
        vertx,
        secured(new HttpServerOptions()
                .setReuseAddress(true)
                .setIdleTimeout(NodeVerticle.IDLE_SECONDS))
            .setHttp2RstFloodMaxRstFramePerWindow(MOST_RESETS)
            .setUseAlpn(true),
        services(),
        new EnvoyServer.Limiters(
            parts.policies(),
            node.decider(),
            new Corrections(corrections::refund, corrections::owe),
            parts.identities()::named,
            assignments()),
        node.adminParts().readiness()::isStopping);
  }

  private NodeAssignments assignments() {
    return new NodeAssignments(
        new RedisAssignments(parts.redis()),
        parts.bulkheads().streams(),
        parts.bulkheads().buckets(),
        node.metrics().assignments());
  }

  private TokenGuard services() {
    return new TokenGuard(parts.config().tokens().service());
  }

  private <T extends NetServerOptions> T secured(T options) {
    return NodeVerticle.secured(options, parts.config().listening().tls());
  }
}
