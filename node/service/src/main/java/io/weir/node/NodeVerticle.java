package io.weir.node;

import static java.util.stream.Collectors.toCollection;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.tracing.TracingPolicy;
import io.weir.node.admin.AdminDoor;
import io.weir.node.admin.PolicyAdmin;
import io.weir.node.admin.PolicyDoors;
import io.weir.node.admission.WaitingDecider;
import io.weir.node.authorize.AuthorizeDoor;
import io.weir.node.check.CheckDoor;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.Tls;
import io.weir.node.extension.LoopExtension;
import io.weir.node.extension.LoopParts;
import io.weir.node.extension.NodeParts;
import io.weir.node.gateway.Diversion;
import io.weir.node.gateway.Gateway;
import io.weir.node.intake.Cors;
import io.weir.node.intake.Door;
import io.weir.node.intake.Intake;
import io.weir.node.intake.MissedDoors;
import io.weir.node.intake.Route;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.intake.WaitingRoom;
import io.weir.node.reservation.ReservationDoor;
import io.weir.node.upstream.Connections;
import io.weir.node.upstream.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Serves all doors on one event loop. Mutable; owned by Vert.x. */
final class NodeVerticle extends VerticleBase {
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_LINE_BYTES = 8 << 10;
  /** After which a connection without a request is closed. */
  static final int IDLE_SECONDS = 120;

  private final NodeContext node;
  private final LongSupplier connectionIds;
  private final NodeParts parts;
  private final List<HttpServer> servers = new ArrayList<>();
  private @Nullable ProtocolPorts others;
  private final List<Route> served = new CopyOnWriteArrayList<>();
  private @Nullable WaitingRoom waiting;

  /** @param connectionIds unique among all event loops of the node */
  NodeVerticle(NodeContext node, LongSupplier connectionIds) {
    this.node = node;
    this.connectionIds = connectionIds;
    this.parts = node.parts();
  }

  @Override
  public Future<?> start() {
    LoopParts loop = new LoopParts(
        parts,
        vertx,
        new ServiceRequests(vertx, node.serviceParts().guard(), parts.memory()),
        new Sender(
            vertx, new Connections(vertx, node.metrics().http()), parts.slots().on(vertx)));
    List<LoopExtension> extensions =
        node.extensions().stream().map(extension -> extension.onLoop(loop)).toList();
    List<Diversion> diversions =
        extensions.stream().flatMap(extension -> extension.diversion().stream()).toList();
    WaitingRoom room = new WaitingRoom(vertx);
    waiting = room;
    Gateway gateway =
        new Gateway(vertx, parts.admission(), loop.sender(), parts.bulkheads(), diversions, room);
    WaitingDecider decider = new WaitingDecider(
        vertx.getOrCreateContext(), node.decider(), room, parts.bulkheads().held());
    ProtocolPorts ports = new ProtocolPorts(vertx, node, connectionIds, decider);
    others = ports;
    return ports
        .listen()
        .compose(listens -> listen(
            joined(
                ownDoors(loop.services(), decider),
                extensions.stream().map(extension -> extension.doors().apply(diversions))),
            joined(operatorsDoors(), extensions.stream().map(LoopExtension::operatorsDoors))
                .stream()
                .map(parts.operators()::inSessions)
                .toList(),
            gateway));
  }

  private List<Door> ownDoors(ServiceRequests services, WaitingDecider decider) {
    return List.of(
        new CheckDoor(
            vertx,
            parts.policies(),
            parts.identities(),
            decider,
            node.serviceParts().guard(),
            parts.memory()),
        new AuthorizeDoor(vertx, parts.identities(), node.decider()),
        new ReservationDoor(
            vertx,
            parts.identities(),
            node.decider(),
            node.serviceParts().holds(),
            node.metrics(),
            services));
  }

  private static List<Door> joined(List<Door> own, Stream<List<Door>> ofExtensions) {
    return Stream.concat(own.stream(), ofExtensions.flatMap(List::stream)).toList();
  }

  // Operators have the callers' port if they have none of their own.
  private Future<?> listen(List<Door> callers, List<Door> operators, Gateway gateway) {
    Listening listening = parts.config().listening();
    Cors cors = Cors.of(listening.corsOrigins());
    if (listening.operators().isEmpty()) {
      List<Door> all = Stream.concat(callers.stream(), operators.stream()).toList();
      MissedDoors missed = new MissedDoors(all, List.of(), MissedDoors.ADMIN_PORT);
      return listen(
          intake(all, request -> gateway.serve(request, missed), cors),
          options(listening.callers(), listening.tls()));
    }
    MissedDoors byCallers = new MissedDoors(callers, operators, MissedDoors.ADMIN_PORT);
    MissedDoors byOperators = new MissedDoors(operators, callers, MissedDoors.CALLERS_PORT);
    return Future.all(
        listen(
            intake(callers, request -> gateway.serve(request, byCallers), cors),
            options(listening.callers(), listening.tls())),
        listen(
            intake(operators, request -> Intake.notFound(request, byOperators), Cors.NONE),
            adminOptions(listening.operators().get())));
  }

  @Override
  public Future<?> stop() {
    if (waiting != null) {
      waiting.close();
    }
    long millis = parts.config().running().shutdownTimeout().toMillis();
    Stream<Future<Void>> ends =
        servers.stream().map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS));
    Stream<Future<Void>> endsOfOthers =
        Stream.ofNullable(others).flatMap(ports -> ports.shutdown(millis).stream());
    return Future.all(Stream.concat(ends, endsOfOthers).toList());
  }

  /** The routes of its doors. */
  Set<String> routes() {
    return served.stream().map(Route::name).collect(toCollection(TreeSet::new));
  }

  private List<Door> operatorsDoors() {
    PolicyAdmin desk = new PolicyAdmin(
        vertx,
        parts.policies(),
        node.adminParts().audit(),
        node.adminParts().stranding(),
        node.policyFile());
    return Stream.concat(
            PolicyDoors.of(vertx, desk, parts.operators(), parts.memory()).stream(),
            Stream.of(new AdminDoor(
                node.adminParts().readiness(), node.metrics(), node.adminParts().openApi())))
        .toList();
  }

  private Intake intake(
      List<Door> doors, Function<HttpServerRequest, Future<Void>> others, Cors cors) {
    doors.forEach(door -> served.addAll(door.routes()));
    return new Intake(
        vertx,
        doors,
        others,
        node.adminParts().readiness()::isStopping,
        node.metrics().http(),
        cors);
  }

  private Future<HttpServer> listen(Intake intake, HttpServerOptions options) {
    HttpServer server = intake.of(vertx.createHttpServer(options));
    servers.add(server);
    return server.listen();
  }

  /** The options of the admin port, with its address. */
  static HttpServerOptions adminOptions(Address address) {
    return options(address, Optional.empty()).setTracingPolicy(TracingPolicy.IGNORE);
  }

  private static HttpServerOptions options(Address address, Optional<Tls> tls) {
    return secured(
        new HttpServerOptions()
            .setHost(address.host())
            .setPort(address.port())
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            .setIdleTimeout(IDLE_SECONDS)
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            // An h2c upgrade is hop-by-hop: bodies would reach the gateway without a length.
            .setHttp2ClearTextEnabled(false)
            .setReuseAddress(true),
        tls);
  }

  /** The same options, with TLS if there is any. */
  static <T extends NetServerOptions> T secured(T options, Optional<Tls> tls) {
    tls.ifPresent(files -> options
        .setSsl(true)
        .setUseAlpn(false) // HTTP/1.1, as without TLS
        .setKeyCertOptions(new PemKeyCertOptions()
            .setCertPath(files.certificate().toString())
            .setKeyPath(files.key().toString())));
    tls.flatMap(Tls::clientCa)
        .ifPresent(file -> options
            .setClientAuth(ClientAuth.REQUEST)
            .setTrustOptions(new PemTrustOptions().addCertPath(file.toString())));
    return options;
  }
}
