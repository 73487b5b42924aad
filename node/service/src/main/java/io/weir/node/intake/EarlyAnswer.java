package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import java.util.OptionalLong;

/**
 * Answers a request before its body has been read. The rest of a short body is read and dropped, so that the connection
 * can be reused, if it comes soon. For a long body, or one that may never come, the connection is closed shortly after the answer, so that
 * the caller can read it; until then at most {@link #MAX_LINGER_BYTES} of the body are read.
 */
public final class EarlyAnswer {
  /** Reading that much costs less than another connection with TLS. */
  private static final long MAX_DRAINED_BYTES = 256 << 10;
  /** A caller that sends all of its body before it reads the answer has sent most bodies by then. */
  private static final long MAX_LINGER_BYTES = 1 << 20;

  private static final long LINGER_MILLIS = 500;
  /** In which the rest of a short body has to come. */
  private static final long DRAINED_WITHIN_MILLIS = 5_000;

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
    drop(request);
    if (!closes && isWithoutBody(request)) {
      return; // its end came with its head
    }
    long timer = vertx.setTimer(closes ? LINGER_MILLIS : DRAINED_WITHIN_MILLIS, late -> {
      if (!request.isEnded()) {
        request.connection().close();
      }
    });
    request.endHandler(ended -> vertx.cancelTimer(timer));
  }

  private static void drop(HttpServerRequest request) {
    long[] left = {MAX_LINGER_BYTES};
    request.handler(chunk -> {
      left[0] -= chunk.length();
      if (left[0] < 0) {
        request.pause();
      }
    });
    request.resume();
  }

  private static boolean isWithoutBody(HttpServerRequest request) {
    OptionalLong length = Framing.length(request);
    return length.isPresent() && length.getAsLong() == 0;
  }

  private static boolean isLong(HttpServerRequest request) {
    return Framing.length(request).orElse(Long.MAX_VALUE) > MAX_DRAINED_BYTES;
  }
}
