package io.weir.node;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.weir.node.admin.AdminDoor;
import io.weir.node.admin.JobResource;
import io.weir.node.admin.PolicyResource;
import io.weir.node.admin.QuotaResource;
import io.weir.node.batch.BatchDoor;
import io.weir.node.check.CheckDoor;
import io.weir.node.config.NodeConfig;
import io.weir.node.gateway.Forwarder;
import io.weir.node.gateway.Gateway;
import io.weir.node.gateway.ProviderForwarder;
import io.weir.node.intake.Cors;
import io.weir.node.intake.Door;
import io.weir.node.intake.Intake;
import io.weir.node.intake.ServiceRequests;
import io.weir.node.job.JobBudget;
import io.weir.node.job.JobDoor;
import io.weir.node.job.JobIntake;
import io.weir.node.job.JobResults;
import io.weir.node.provider.CurrentUpstreams;
import io.weir.node.provider.PermitDoor;
import io.weir.node.provider.ProviderGate;
import io.weir.node.provider.ProviderLessons;
import io.weir.node.reservation.ReservationDoor;
import io.weir.node.window.WindowDoor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves all doors on one event loop. Mutable; owned by Vert.x. */
final class NodeVerticle extends VerticleBase {
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_LINE_BYTES = 8 << 10;
  private static final int IDLE_SECONDS = 120;

  private final NodeContext node;
  private final List<HttpServer> servers = new ArrayList<>();
  private @Nullable Gateway gateway;

  NodeVerticle(NodeContext node) {
    this.node = node;
  }

  @Override
  public Future<?> start() {
    Forwarder forwarder = new Forwarder(vertx, node.metrics().http());
    JobBudget budget = new JobBudget();
    JobResults results = new JobResults(vertx, node.jobs(), node.results());
    ProviderGate gate = gate(vertx, node);
    ProviderForwarder providers = providers(vertx, node, forwarder, gate);
    Gateway proxy = new Gateway(
        vertx,
        node.admission(),
        forwarder,
        node.held(),
        node.memory(),
        jobIntake(budget, results),
        providers);
    gateway = proxy;
    List<Door> doors =
        new ArrayList<>(callersDoors(vertx, node, forwarder, providers, budget, results, gate));
    Door admin = adminDoor(vertx, node);
    NodeConfig config = node.config();
    List<Future<HttpServer>> listening = new ArrayList<>();
    if (config.adminPort().isPresent()) {
      listening.add(
          listen(List.of(admin), config.adminHost(), config.adminPort().getAsInt(), Cors.NONE));
    } else {
      doors.add(admin);
    }
    doors.add(proxy); // all other paths go to the upstream
    listening.add(listen(doors, config.host(), config.port(), Cors.of(config.corsOrigins())));
    return Future.all(listening);
  }

  @Override
  public Future<?> stop() {
    if (gateway != null) {
      gateway.close();
    }
    long millis = node.config().shutdownTimeout().toMillis();
    return Future.all(servers.stream()
        .map(server -> server.shutdown(millis, TimeUnit.MILLISECONDS))
        .toList());
  }

  /** All doors but the gateway. A test compares them with the OpenAPI description. */
  static List<Door> doors(Vertx vertx, NodeContext node) {
    Forwarder forwarder = new Forwarder(vertx, node.metrics().http());
    ProviderGate gate = gate(vertx, node);
    List<Door> doors = new ArrayList<>(callersDoors(
        vertx,
        node,
        forwarder,
        providers(vertx, node, forwarder, gate),
        new JobBudget(),
        new JobResults(vertx, node.jobs(), node.results()),
        gate));
    doors.add(adminDoor(vertx, node));
    return doors;
  }

  private static List<Door> callersDoors(
      Vertx vertx,
      NodeContext node,
      Forwarder forwarder,
      ProviderForwarder providers,
      JobBudget budget,
      JobResults results,
      ProviderGate gate) {
    ServiceRequests services = new ServiceRequests(vertx, node.services(), node.memory());
    return List.of(
        new CheckDoor(vertx, node.policies(), node.decider(), node.services(), node.memory()),
        new ReservationDoor(
            vertx, node.policies(), node.decider(), node.store(), node.metrics(), services),
        new PermitDoor(node.policies(), gate, lessons(node, gate), services),
        new WindowDoor(
            vertx, node.policies(), node.windows(), services, node.metrics().windows()),
        new JobDoor(
            vertx,
            node.policies(),
            node.admission(),
            node.jobs(),
            node.jobTokens(),
            node.memory(),
            node.waiting(),
            node.metrics().jobs(),
            budget,
            results),
        new BatchDoor(
            vertx,
            node.admission(),
            forwarder,
            providers,
            node.idempotency(),
            node.batches(),
            node.unpaid(),
            node.memory()));
  }

  private static ProviderForwarder providers(
      Vertx vertx, NodeContext node, Forwarder forwarder, ProviderGate gate) {
    return new ProviderForwarder(
        vertx,
        forwarder,
        gate,
        lessons(node, gate),
        node.metrics().providers(),
        node.budgets(),
        node.keys(),
        node.policies());
  }

  private static ProviderGate gate(Vertx vertx, NodeContext node) {
    return new ProviderGate(
        vertx,
        node.providers(),
        node.places(),
        node.metrics().providers(),
        new CurrentUpstreams(() -> node.policies().current().policy().upstreams(), node.keys()));
  }

  private static ProviderLessons lessons(NodeContext node, ProviderGate gate) {
    return new ProviderLessons(gate, node.breakers(), node.metrics().providers());
  }

  private JobIntake jobIntake(JobBudget budget, JobResults results) {
    return new JobIntake(
        vertx,
        node.admission(),
        node.jobs(),
        node.memory(),
        node.metrics().jobs(),
        node.worker()::wake,
        budget,
        results);
  }

  private static Door adminDoor(Vertx vertx, NodeContext node) {
    return new AdminDoor(
        new PolicyResource(vertx, node.policies(), node.operators(), node.memory()),
        new QuotaResource(vertx, node.policies(), node.store(), node.memory()),
        new JobResource(node.policies()),
        node.readiness(),
        node.metrics(),
        node.openApi());
  }

  private Future<HttpServer> listen(List<Door> doors, String host, int port, Cors cors) {
    Intake intake =
        new Intake(vertx, doors, node.readiness()::isStopping, node.metrics().http(), cors);
    HttpServer server = intake.of(vertx.createHttpServer(options()));
    servers.add(server);
    return server.listen(port, host);
  }

  private static HttpServerOptions options() {
    return new HttpServerOptions()
        .setMaxHeaderSize(MAX_HEADER_BYTES)
        .setMaxInitialLineLength(MAX_LINE_BYTES)
        .setIdleTimeout(IDLE_SECONDS)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        // An h2c upgrade is hop-by-hop: bodies would reach the gateway without a length.
        .setHttp2ClearTextEnabled(false)
        .setReuseAddress(true);
  }
}
