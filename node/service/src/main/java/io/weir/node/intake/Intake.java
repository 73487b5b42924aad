package io.weir.node.intake;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.OpenConnections.Connection;
import io.weir.node.metrics.HttpMeters;
import io.weir.node.trace.RequestTrace;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes every request, checks its framing, and passes it to the route that it fits. Answers if a route refuses the
 * request or fails: the one place that turns failures into problems. Mutable; owned by one event loop.
 */
public final class Intake {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
  static final ProblemDetails NOT_FOUND = ProblemDetails.of(404, "not_found", "Nothing is there");
  private static final ProblemDetails FAILED =
      ProblemDetails.of(500, "internal_error", "The node failed");

  private final Vertx vertx;
  private final Routes routes;
  private final BooleanSupplier isStopping;
  private final HttpMeters meters;
  private final Cors cors;
  private final HttpDate date;
  private final WorkRounds rounds;
  /** Nothing more is read from these: it may be part of the refused request. */
  private final Set<HttpConnection> refused = new HashSet<>();

  /**
   * An intake for one event loop.
   *
   * @param others answers requests whose path belongs to no door
   * @param isStopping whether connections should end with the next answer
   * @param cors the cross-origin rules for web pages
   */
  public Intake(
      Vertx vertx,
      List<Door> doors,
      Function<HttpServerRequest, Future<Void>> others,
      BooleanSupplier isStopping,
      HttpMeters meters,
      Cors cors) {
    this.vertx = vertx;
    this.routes = new Routes(doors, others);
    this.isStopping = isStopping;
    this.meters = meters;
    this.cors = cors;
    this.date = new HttpDate(vertx);
    this.rounds = WorkRounds.of(vertx);
  }

  /** Refuses a request whose path belongs to no door, on a port without a gateway. */
  public static Future<Void> notFound(HttpServerRequest request, MissedDoors missed) {
    return Future.failedFuture(
        new RefusedException(missed.refusal(request.path()).orElse(NOT_FOUND)));
  }

  /** Takes the requests of a server. */
  public HttpServer of(HttpServer server) {
    return server
        .connectionHandler(this::connected)
        .requestHandler(this::take)
        .invalidRequestHandler(this::refuseUnreadable);
  }

  private void connected(HttpConnection connection) {
    Optional<Connection> counted = Handshake.end((ConnectionBase) connection);
    if (counted.isEmpty()) {
      var unused = connection.close();
      return;
    }
    counted.get().watch(PipelinedRequests.watch(connection, rounds));
    BrokenMessages.watch(connection);
    LastReads.before((ConnectionBase) connection);
    meters.connected();
    connection.closeHandler(closed -> {
      refused.remove(connection);
      meters.disconnected();
    });
  }

  private void take(HttpServerRequest request) {
    if (!refused.isEmpty() && refused.contains(request.connection())) {
      return;
    }
    request.pause();
    RequestTrace.serve(request);
    stamp(request.response());
    request.response().headersEndHandler(head -> cors.addHeaders(request));
    Optional<ProblemDetails> refusal = Framing.refusal(request);
    if (refusal.isPresent()) {
      refuse(request, refusal.get());
      return;
    }
    // Composed, so that exceptions and failed futures take the same path.
    Future.succeededFuture()
        .compose(begun -> serve(request))
        .onFailure(error -> answerFailed(request, error));
  }

  // The HTTP decoder could not read the request: a header or line is too long or broken.
  private void refuseUnreadable(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    stamp(request.response());
    if (cause instanceof TooLongHttpLineException) {
      refuse(request, unreadable(414, "header_too_long"));
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(request, unreadable(431, "header_too_long"));
    } else {
      refuse(request, unreadable(400, "request_invalid"));
    }
  }

  private static ProblemDetails unreadable(int status, String code) {
    return ProblemDetails.of(status, code, "The request cannot be read");
  }

  private void stamp(HttpServerResponse response) {
    long begun = System.nanoTime();
    response.endHandler(
        end -> meters.answered(response.getStatusCode(), System.nanoTime() - begun));
    response.putHeader(HttpHeaders.DATE, date.now());
    if (isStopping.getAsBoolean()) {
      response.putHeader(HttpHeaders.CONNECTION, "close");
    }
  }

  private Future<Void> serve(HttpServerRequest request) {
    return cors.isPreflight(request) && !routes.isOfAnother(request.path())
        ? cors.answer(request)
        : routes.serve(request);
  }

  private void refuse(HttpServerRequest request, ProblemDetails problem) {
    refused.add(request.connection());
    EarlyAnswer.sendAndClose(vertx, request, problem);
  }

  private void answerFailed(HttpServerRequest request, Throwable error) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return; // the caller hung up, or has its answer
    }
    if (response.headWritten()) {
      Future<Void> unused = response.reset().mapEmpty();
      return;
    }
    Throwable cause = RefusedException.of(error);
    if (!(cause instanceof RefusedException)) {
      LOG.error("a request failed for no known reason", cause);
    }
    ProblemDetails problem = cause instanceof RefusedException refusal ? refusal.problem() : FAILED;
    problem.addWait(response.headers());
    Future<Void> unused = EarlyAnswer.send(vertx, request, problem);
  }
}
