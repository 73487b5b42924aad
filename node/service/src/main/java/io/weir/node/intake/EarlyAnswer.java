package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;

/**
 * Answers a request before its body has been read. The rest of a short body is read and dropped, so that the connection
 * can be reused; for a long body, or one that may never come, the connection is closed shortly after the answer, so
 * that the caller can read it.
 */
public final class EarlyAnswer {
  private static final long MAX_DRAINED_BYTES = 64 << 10;
  private static final long LINGER_MILLIS = 500;
  private static final int REQUEST_TIMEOUT = 408;

  private EarlyAnswer() {}

  /** Answers with a problem; does nothing if the caller has hung up. */
  public static Future<Void> send(Vertx vertx, HttpServerRequest request, ProblemDetails problem) {
    if (request.response().closed()) {
      return Future.succeededFuture();
    }
    boolean closes = !request.isEnded()
        && (isLong(request) || Upload.isAwaited(request) || problem.status() == REQUEST_TIMEOUT);
    if (closes) {
      request.response().putHeader(HttpHeaders.CONNECTION, "close");
    }
    return problem.send(request.response()).onComplete(sent -> drain(vertx, request, closes));
  }

  /** The same, and nothing more is read from the connection. */
  public static void sendAndClose(Vertx vertx, HttpServerRequest request, ProblemDetails problem) {
    request.response().putHeader(HttpHeaders.CONNECTION, "close");
    problem
        .send(request.response())
        .onComplete(
            sent -> vertx.setTimer(LINGER_MILLIS, timer -> request.connection().close()));
  }

  /** Reads and drops the rest of the body of an answered request. */
  public static void drain(Vertx vertx, HttpServerRequest request) {
    drain(vertx, request, isLong(request));
  }

  private static void drain(Vertx vertx, HttpServerRequest request, boolean closes) {
    if (request.isEnded()) {
      return;
    }
    request.exceptionHandler(gone -> {});
    request.handler(chunk -> {});
    request.resume();
    if (closes) {
      vertx.setTimer(LINGER_MILLIS, timer -> {
        if (!request.isEnded()) {
          request.connection().close();
        }
      });
    }
  }

  private static boolean isLong(HttpServerRequest request) {
    return Framing.length(request).orElse(Long.MAX_VALUE) > MAX_DRAINED_BYTES;
  }
}
