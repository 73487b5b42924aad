package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.answer.Tickets;
import io.weir.node.auth.TokenGuard;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.envoy.GrpcCall.Bounds;
import io.weir.node.intake.Strangers;
import io.weir.node.intake.Strangers.Stranger;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Serves the port for Envoy on one event loop: its rate limit service, and gRPC's health service. Mutable; owned by its
 * event loop.
 */
public final class EnvoyServer {
  private static final String LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private static final String SHOULD_RATE_LIMIT = "/" + LIMITS + "/ShouldRateLimit";
  private static final String HEALTH_CHECK = "/grpc.health.v1.Health/Check";
  private static final int SERVING = 1;
  private static final int NOT_SERVING = 2;
  /** For each event loop. */
  private static final int MOST_CONNECTIONS = 1000;

  private static final int MOST_STRANGERS = 100;
  /** For each connection. */
  private static final int MOST_CALLS = 100;

  private static final int MOST_HEADER_BYTES = 8 << 10;
  private static final int MOST_MESSAGE_BYTES = 64 << 10;
  private static final int MOST_HEALTH_BYTES = 512;
  /** For each event loop; strangers can take a third of it. */
  private static final int MOST_BYTES = 16 << 20;

  private static final int MOST_SERVICE_NAME = 256;
  private static final int HTTP_VERSION_NOT_SUPPORTED = 505;

  private final HttpServer server;
  private final TokenGuard services;
  private final BooleanSupplier isStopping;
  private final RateLimits limits;
  private final Strangers strangers;
  private final IdentityHashMap<HttpConnection, Stranger> welcomed = new IdentityHashMap<>();
  private final BodyBudget bodies = new BodyBudget(MOST_BYTES);

  /**
   * @param options of its port, with TLS if it has any
   * @param services admit the service token
   * @param isStopping whether the node stops
   */
  public EnvoyServer(
      Vertx vertx,
      HttpServerOptions options,
      TokenGuard services,
      PolicySource policies,
      Decider decider,
      BooleanSupplier isStopping) {
    Context context = vertx.getOrCreateContext();
    this.services = services;
    this.strangers = new Strangers(vertx, MOST_CONNECTIONS, MOST_STRANGERS);
    this.isStopping = isStopping;
    this.limits = new RateLimits(context, policies, decider);
    this.server = vertx
        .createHttpServer(options
            .setHttp2ClearTextEnabled(true)
            .setInitialSettings(new Http2Settings()
                .setMaxConcurrentStreams(MOST_CALLS)
                .setMaxHeaderListSize(MOST_HEADER_BYTES)))
        .connectionHandler(this::welcome)
        .requestHandler(this::serve);
  }

  /** Opens the port. */
  public Future<HttpServer> listen(Address address) {
    return server.listen(address.port(), address.host());
  }

  /** Closes the port, and after this time its connections. */
  public Future<Void> shutdown(long millis) {
    return server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  private void welcome(HttpConnection connection) {
    Optional<Stranger> stranger = strangers.welcome(connection::close);
    if (stranger.isEmpty()) {
      var unused = connection.close();
      return;
    }
    welcomed.put(connection, stranger.get());
    connection.closeHandler(closed -> {
      welcomed.remove(connection);
      stranger.get().closed();
    });
  }

  private void serve(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      var unused = request.response().setStatusCode(HTTP_VERSION_NOT_SUPPORTED).end();
      return;
    }
    switch (request.path()) {
      case SHOULD_RATE_LIMIT -> {
        if (services.admits(request.headers())) {
          Optional.ofNullable(welcomed.get(request.connection())).ifPresent(Stranger::isKnown);
          Optional<String> ticket = Optional.ofNullable(request.getHeader(Tickets.RETRY_TICKET));
          GrpcCall.serve(
              request,
              new Bounds(MOST_MESSAGE_BYTES, bodies),
              message -> limits.answer(message, ticket));
        } else {
          GrpcCall.refuse(
              request,
              new GrpcException(
                  GrpcStatus.UNAUTHENTICATED, "this needs the service token as bearer token"));
        }
      }
      case HEALTH_CHECK ->
        GrpcCall.serve(request, new Bounds(MOST_HEALTH_BYTES, bodies), this::health);
      default ->
        GrpcCall.refuse(request, new GrpcException(GrpcStatus.UNIMPLEMENTED, "no such method"));
    }
  }

  // Without a name, that of the node as a whole.
  private Future<Buffer> health(Buffer message) {
    MessageReader reader = MessageReader.of(message);
    String service = "";
    while (reader.hasNext()) {
      if (reader.field() == 1) {
        service = reader.text(MOST_SERVICE_NAME, "service");
      } else {
        reader.skip();
      }
    }
    if (!service.isEmpty() && !service.equals(LIMITS)) {
      return Future.failedFuture(new GrpcException(GrpcStatus.NOT_FOUND, "no such service"));
    }
    int status = isStopping.getAsBoolean() ? NOT_SERVING : SERVING;
    return Future.succeededFuture(new MessageWriter().add(1, status).bytes());
  }
}
