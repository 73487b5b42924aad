package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.Addresses;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.envoy.GrpcCall.Arriving;
import io.weir.node.envoy.GrpcCall.Bounds;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.FairReads;
import io.weir.node.intake.Handshake;
import io.weir.node.intake.JointFlushes;
import io.weir.node.intake.LastReads;
import io.weir.node.intake.OpenConnections.Connection;
import io.weir.node.intake.OpenConnections.Requests;
import io.weir.node.intake.OpenStreams;
import io.weir.node.intake.PortServer;
import io.weir.node.intake.Strangers;
import io.weir.node.intake.Strangers.Stranger;
import io.weir.node.intake.WorkRounds;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Serves the port for Envoy on one event loop: its rate limit service, its rate limit quota service, and gRPC's health
 * service. Mutable; owned by its event loop.
 */
public final class EnvoyServer implements PortServer {
  private static final String LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private static final String SHOULD_RATE_LIMIT = "/" + LIMITS + "/ShouldRateLimit";
  private static final String QUOTAS = "envoy.service.rate_limit_quota.v3.RateLimitQuotaService";
  private static final String STREAM_QUOTAS = "/" + QUOTAS + "/StreamRateLimitQuotas";
  private static final String CLIENT = "weir-client";
  private static final Pattern CLIENT_NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");
  private static final String HEALTH_CHECK = "/grpc.health.v1.Health/Check";
  /** For each event loop. */
  private static final int MOST_CONNECTIONS = 1000;

  private static final int MOST_STRANGERS = 100;
  /** For each connection. */
  private static final int MOST_CALLS = 100;

  private static final int MOST_HEADER_BYTES = 8 << 10;
  private static final int MOST_MESSAGE_BYTES = 64 << 10;
  private static final int MOST_REPORT_BYTES = 512 << 10;
  private static final int MOST_HEALTH_BYTES = 512;
  /** For each event loop; strangers can take a third of it, a network half. Streams have as much for themselves. */
  private static final int MOST_BYTES = 16 << 20;

  private static final long CHECK_MILLIS = 100;

  private static final int HTTP_VERSION_NOT_SUPPORTED = 505;

  private final HttpServer server;
  private final TokenGuard services;
  private final BooleanSupplier isStopping;
  private final HealthService health;
  private final Context context;
  private final Limiters limiters;
  private final RateLimits limits;
  private final Set<GrpcStream> streams = new HashSet<>();
  private final Strangers strangers;
  private final IdentityHashMap<HttpConnection, EnvoyConnection> callers = new IdentityHashMap<>();
  private final Farewell farewell = new Farewell();
  private final Arriving arriving = new Arriving();
  private final BodyBudget bodies = new BodyBudget(MOST_BYTES);
  private final BodyBudget reports = new BodyBudget(MOST_BYTES);
  private final PartSemaphores turns;
  private final WorkRounds rounds;

  /** The subjects of the policy and of records. */
  @FunctionalInterface
  public interface Subjects {
    /** The subject with this id; empty if there is none, or it may not be used. */
    Future<Optional<Subject>> named(String id);
  }

  /** The collaborators that decide by a policy. */
  public record Limiters(
      PolicySource policies,
      Decider decider,
      Corrections corrections,
      Subjects subjects,
      NodeAssignments assignments) {}

  /**
   * @param options of its port, with TLS if it has any
   * @param services admit the service token
   * @param isStopping whether the node stops
   */
  public EnvoyServer(
      Vertx vertx,
      HttpServerOptions options,
      TokenGuard services,
      Limiters limiters,
      BooleanSupplier isStopping) {
    this.context = vertx.getOrCreateContext();
    this.turns = new PartSemaphores(context, limiters.assignments().shared());
    this.limiters = limiters;
    this.services = services;
    this.strangers = new Strangers(vertx, MOST_CONNECTIONS, MOST_STRANGERS);
    this.rounds = WorkRounds.of(vertx);
    this.isStopping = isStopping;
    this.health = new HealthService(Set.of(LIMITS, QUOTAS), isStopping);
    this.limits = new RateLimits(
        context,
        limiters.policies(),
        limiters.decider(),
        limiters.corrections(),
        limiters.subjects());
    this.server = vertx
        .createHttpServer(options
            .setHttp2ClearTextEnabled(true)
            .setInitialSettings(new Http2Settings()
                .setMaxConcurrentStreams(MOST_CALLS)
                .setMaxHeaderListSize(MOST_HEADER_BYTES)))
        .connectionHandler(this::welcome)
        .requestHandler(this::take);
    vertx.setPeriodic(CHECK_MILLIS, timer -> check(System.nanoTime()));
  }

  @Override
  public Future<HttpServer> listen(Address address) {
    return server.listen(address.port(), address.host());
  }

  @Override
  public Future<Void> shutdown(long millis) {
    GrpcException stopping = new GrpcException(GrpcStatus.UNAVAILABLE, "the node stops");
    List.copyOf(streams).forEach(stream -> stream.fail(stopping));
    farewell.sendTo(callers.keySet());
    return server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  private void check(long now) {
    List.copyOf(streams).forEach(stream -> stream.check(now));
    arriving.check(now);
    if (isStopping.getAsBoolean()) {
      farewell.sendTo(callers.keySet());
    }
  }

  private void welcome(HttpConnection connection) {
    Optional<Connection> counted = Handshake.end((ConnectionBase) connection);
    LastReads.before((ConnectionBase) connection);
    FairReads.once(connection);
    JointFlushes.on(connection);
    Requests requests = OpenStreams.bound(connection, MOST_CALLS);
    String network = Addresses.network(connection.remoteAddress().hostAddress());
    Optional<Stranger> stranger =
        counted.flatMap(each -> strangers.welcome(network, connection::close));
    if (stranger.isEmpty()) {
      var unused = connection.close();
      return;
    }
    counted.ifPresent(each -> each.watch(requests));
    EnvoyConnection caller = new EnvoyConnection(
        network,
        stranger.get(),
        new ConnectionCalls(rounds, this::serve),
        bodies.open(network),
        reports.open(network));
    callers.put(connection, caller);
    connection.closeHandler(closed -> {
      callers.remove(connection);
      farewell.closed(connection);
      caller.closed();
    });
  }

  private void take(HttpServerRequest request) {
    EnvoyConnection caller = callers.get(request.connection());
    if (caller == null) {
      return; // the connection is refused
    }
    if (request.version() == HttpVersion.HTTP_2) {
      caller.calls().serve(request);
    } else {
      refuseVersion(request);
    }
  }

  // Requests that follow are not answered.
  private void refuseVersion(HttpServerRequest request) {
    HttpConnection connection = request.connection();
    callers.remove(connection);
    request
        .response()
        .setStatusCode(HTTP_VERSION_NOT_SUPPORTED)
        .putHeader(HttpHeaders.CONNECTION, "close")
        .end()
        .onComplete(sent -> connection.close());
  }

  private void serve(HttpServerRequest request) {
    EnvoyConnection caller = callers.get(request.connection());
    if (caller == null) {
      return; // the connection is closed
    }
    switch (request.path()) {
      case SHOULD_RATE_LIMIT -> ifAdmitted(request, caller, () -> limit(request, caller));
      case STREAM_QUOTAS -> ifAdmitted(request, caller, () -> stream(request, caller));
      case HEALTH_CHECK ->
        GrpcCall.serve(
            request,
            new Bounds(MOST_HEALTH_BYTES, caller.bodies()),
            arriving,
            (message, any) -> health.answer(message));
      default -> refuse(request, GrpcStatus.UNIMPLEMENTED, "no such method");
    }
  }

  private void ifAdmitted(HttpServerRequest request, EnvoyConnection caller, Runnable task) {
    if (services.admits(request.headers())) {
      caller.stranger().isKnown();
      task.run();
    } else {
      refuse(request, GrpcStatus.UNAUTHENTICATED, "this needs the service token as bearer token");
    }
  }

  private static void refuse(HttpServerRequest request, GrpcStatus status, String reason) {
    GrpcCall.refuse(request, new GrpcException(status, reason));
  }

  private void limit(HttpServerRequest request, EnvoyConnection caller) {
    Optional<String> ticket = Optional.ofNullable(request.getHeader(Tickets.RETRY_TICKET));
    GrpcCall.serve(
        request,
        new Bounds(MOST_MESSAGE_BYTES, caller.bodies()),
        arriving,
        (message, deadline) -> limits.answer(message, ticket, deadline));
  }

  private void stream(HttpServerRequest request, EnvoyConnection caller) {
    Optional<String> named = Optional.ofNullable(request.getHeader(CLIENT));
    if (named.filter(name -> !CLIENT_NAME.matcher(name).matches()).isPresent()) {
      refuse(request, GrpcStatus.INVALID_ARGUMENT, CLIENT + ": not of the form " + CLIENT_NAME);
      return;
    }
    EnvoyClient client =
        new EnvoyClient(named.orElseGet(() -> "~" + UUID.randomUUID()), caller.network());
    Optional<Portion> opened = limiters.assignments().tryOpen(client);
    if (opened.isEmpty()) {
      refuse(request, GrpcStatus.RESOURCE_EXHAUSTED, "too many streams");
      return;
    }
    AssignmentStream stream = new AssignmentStream(
        context, limiters.policies(), limiters.assignments(), turns, client, gone -> {
          streams.remove(gone);
          opened.get().free();
        });
    streams.add(GrpcStream.serve(request, new Bounds(MOST_REPORT_BYTES, caller.reports()), stream));
  }
}
