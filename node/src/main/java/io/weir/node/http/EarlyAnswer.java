package io.weir.node.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;

/**
 * Answers a request whose body nobody wants any more. What is left of a short body is read and thrown away,
 * so that the connection serves on; a long one costs the caller the connection, a moment after the answer,
 * so that it can be read.
 */
public final class EarlyAnswer {
  private static final long MAX_DRAINED_BYTES = 64 << 10;
  private static final long LINGER_MILLIS = 500;

  private EarlyAnswer() {}

  /** Answers with a problem; does nothing where the caller has hung up. */
  public static Future<Void> send(Vertx vertx, HttpServerRequest request, ProblemDetails problem) {
    if (request.response().closed()) {
      return Future.succeededFuture(); // the caller hung up
    }
    if (!request.isEnded() && isLong(request)) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    return problem.send(request.response()).onComplete(sent -> drain(vertx, request));
  }

  /** Reads and throws away what is left of a body that is answered. */
  public static void drain(Vertx vertx, HttpServerRequest request) {
    if (request.isEnded()) {
      return;
    }
    request.exceptionHandler(gone -> {});
    request.handler(chunk -> {});
    request.resume();
    if (isLong(request)) {
      vertx.setTimer(LINGER_MILLIS, timer -> request.connection().close());
    }
  }

  private static boolean isLong(HttpServerRequest request) {
    return BodyFraming.length(request).orElse(Long.MAX_VALUE) > MAX_DRAINED_BYTES;
  }
}
