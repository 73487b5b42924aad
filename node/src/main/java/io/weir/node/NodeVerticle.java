package io.weir.node;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import io.weir.node.admin.PolicyHandlers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.batch.BatchHandler;
import io.weir.node.check.CheckHandler;
import io.weir.node.gateway.BatchMark;
import io.weir.node.gateway.Gateway;
import io.weir.state.document.PolicyDocuments;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves all doors on one event loop. Mutable; owned by Vert.x. */
final class NodeVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(NodeVerticle.class);
  private static final String CHECK = "/v1/check";
  private static final String BATCH = "/v1/batch";
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_LINE_BYTES = 8 << 10;
  private static final int IDLE_SECONDS = 120;

  private final Doors doors;
  private @Nullable HttpServer server;
  private @Nullable Gateway gateway;

  NodeVerticle(Doors doors) {
    this.doors = doors;
  }

  @Override
  public Future<?> start() {
    CheckHandler check = check(vertx, context, doors);
    Router router = router(vertx, context, doors, check);
    Gateway proxy =
        new Gateway(vertx, doors.policies(), doors.decider(), doors.seats(), doors.mark());
    HttpServer made = vertx.createHttpServer(options());
    BatchHandler batch = new BatchHandler(
        vertx,
        doors.policies(),
        doors.answers(),
        doors.mark(),
        doors.config().host(),
        made::actualPort);
    made.requestHandler(dispatcher(check, batch, router, proxy, doors.mark()));
    made.invalidRequestHandler(NodeVerticle::refuse);
    gateway = proxy;
    server = made;
    return made.listen(doors.config().port(), doors.config().host());
  }

  @Override
  public Future<?> stop() {
    if (server == null || gateway == null) {
      return Future.succeededFuture();
    }
    gateway.close();
    return server.shutdown(doors.config().shutdownTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The doors that are not the gateway. A test compares them with the description of the interface. */
  static Router router(Vertx vertx, Context context, Doors doors) {
    return router(vertx, context, doors, check(vertx, context, doors));
  }

  private static CheckHandler check(Vertx vertx, Context context, Doors doors) {
    return new CheckHandler(vertx, doors.policies(), doors.decider(), doors.services(), context);
  }

  private static Router router(Vertx vertx, Context context, Doors doors, CheckHandler check) {
    Router router = Router.router(vertx);
    PolicyHandlers policy = new PolicyHandlers(doors.policies(), doors.operators(), context);
    // Only other methods come here: these are taken before, see the dispatcher.
    router.post(CHECK).handler(routing -> check.handle(routing.request()));
    router.post(BATCH).handler(routing -> routing.fail(405));
    router.get("/v1/policy").handler(policy::guard).handler(policy::get);
    // A route of its own for the token: who has none sends no body of megabytes.
    router.put("/v1/policy").handler(policy::guard);
    router.put("/v1/policy").handler(body(PolicyDocuments.MAX_BYTES)).handler(policy::put);
    router.get("/health/live").handler(doors.readiness()::live);
    router.get("/health/ready").handler(doors.readiness()::ready);
    router.get("/metrics").handler(routing -> metrics(routing, doors));
    router.get("/openapi.json").handler(routing -> openApi(routing, doors));
    for (int status : new int[] {400, 404, 405, 413, 500}) {
      router.errorHandler(status, routing -> fail(routing, status));
    }
    return router;
  }

  // The gateway stands outside of the router: it reads the path for itself, and nothing touches its
  // body. So does the check, which is asked more often than all others.
  private static Handler<HttpServerRequest> dispatcher(
      CheckHandler check, BatchHandler batch, Router router, Gateway gateway, BatchMark mark) {
    Set<String> own =
        router.getRoutes().stream().map(route -> route.getPath()).collect(Collectors.toSet());
    return request -> {
      String path = request.path();
      if (mark.isOn(request.headers())) {
        gateway.handle(request); // a step of a batch: none of the node's own doors
      } else if (CHECK.equals(path) && HttpMethod.POST.equals(request.method())) {
        check.handle(request);
      } else if (BATCH.equals(path) && HttpMethod.POST.equals(request.method())) {
        batch.handle(request);
      } else if (own.contains(path)) {
        router.handle(request);
      } else {
        gateway.handle(request);
      }
    };
  }

  private static BodyHandler body(long maxBytes) {
    return BodyHandler.create(false).setBodyLimit(maxBytes);
  }

  private static void metrics(RoutingContext routing, Doors doors) {
    routing
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        .end(doors.metrics().scrape());
  }

  private static void openApi(RoutingContext routing, Doors doors) {
    routing.response().putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(doors.openApi());
  }

  private static void fail(RoutingContext routing, int status) {
    if (routing.failure() != null && status == 500) {
      LOG.error("a request failed for no known reason", routing.failure());
    }
    if (!routing.response().headWritten()) {
      problem(status).send(routing.response());
    }
  }

  private static ProblemDetails problem(int status) {
    return switch (status) {
      case 400 -> ProblemDetails.of(400, "request_invalid", "The request cannot be understood");
      case 404 -> ProblemDetails.of(404, "not_found", "Nothing is there");
      case 405 ->
        ProblemDetails.of(405, "method_not_allowed", "The method is not one of this resource");
      case 413 ->
        ProblemDetails.of(413, "body_too_long", "The request body is longer than allowed");
      default -> ProblemDetails.of(500, "internal_error", "The node failed");
    };
  }

  // Whatever the HTTP decoder could not read: a header or line that is too long, a broken one.
  private static void refuse(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    boolean tooLong = cause != null && cause.getClass().getSimpleName().startsWith("TooLong");
    boolean line = tooLong && cause.getClass().getSimpleName().contains("Line");
    int status = !tooLong ? 400 : line ? 414 : 431;
    ProblemDetails.of(
            status, tooLong ? "header_too_long" : "request_invalid", "The request cannot be read")
        .send(request.response())
        .onComplete(sent -> request.connection().close());
  }

  private static HttpServerOptions options() {
    return new HttpServerOptions()
        .setMaxHeaderSize(MAX_HEADER_BYTES)
        .setMaxInitialLineLength(MAX_LINE_BYTES)
        .setIdleTimeout(IDLE_SECONDS)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setHandle100ContinueAutomatically(true)
        // An upgrade of one hop: behind the gateway's back it would carry bodies without a length.
        .setHttp2ClearTextEnabled(false)
        .setReuseAddress(true);
  }
}
