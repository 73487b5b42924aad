package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead.Portion;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads the bodies of requests within bounds of length, speed and memory. One timer watches all bodies that are being
 * read. Mutable; owned by one door.
 */
public final class Upload {
  /** The fewest bytes of a body in each window: on average 1 KiB a second. */
  static final long MIN_BYTES = 5 << 10;

  /** In milliseconds. */
  public static final long WINDOW_MILLIS = 5000;

  private static final ProblemDetails TOO_LONG =
      ProblemDetails.of(413, "body_too_long", "The request body is longer than allowed");
  private static final ProblemDetails TOO_SLOW =
      ProblemDetails.of(408, "body_too_slow", "The request body did not come fast enough");
  private static final ProblemDetails NO_MEMORY = ProblemDetails.of(
      503, "memory_exhausted", "There is no memory for more bodies of this caller at the moment");

  private static final int STRANGERS_WINDOWS = 2;
  private static final long LOOK_MILLIS = WINDOW_MILLIS / WatchedBody.LOOKS_PER_WINDOW;

  private final Set<WatchedBody> reading = new HashSet<>();

  public Upload(Vertx vertx) {
    vertx.setPeriodic(LOOK_MILLIS, timer -> lookAtAll());
  }

  /** Refuses a body whose announced length is too long. */
  public static void requireLength(HttpServerRequest request, long maxBytes) {
    if (Framing.length(request).orElse(0) > maxBytes) {
      throw tooLong();
    }
  }

  /** The refusal of a body that is too long. */
  public static RefusedException tooLong() {
    return new RefusedException(TOO_LONG);
  }

  /** The refusal of a body for which there is no memory. */
  public static RefusedException noMemory() {
    return new RefusedException(NO_MEMORY);
  }

  /** The refusal of a body that arrives too slowly. */
  public static RefusedException tooSlow() {
    return new RefusedException(TOO_SLOW);
  }

  /** Whether this many bytes in a window are too few. */
  public static boolean isTooSlow(long bytesInWindow) {
    return bytesInWindow < MIN_BYTES;
  }

  /** Sends 100 Continue to a caller that waits for it (RFC 9110, section 10.1.1). */
  public static void welcome(HttpServerRequest request) {
    if (isAwaited(request)) {
      Future<Void> unused = request.response().writeContinue();
    }
  }

  /** Whether the caller waits for 100 Continue before it sends the body. */
  static boolean isAwaited(HttpServerRequest request) {
    return "100-continue".equalsIgnoreCase(request.getHeader("Expect"));
  }

  /**
   * Reads a whole body.
   *
   * @param maxBytes the longest body accepted
   * @param memory grows by the bytes that arrive; the calling code frees it
   * @return fails with {@link RefusedException}, or with the I/O error
   */
  public Future<Buffer> whole(HttpServerRequest request, long maxBytes, Portion memory) {
    return whole(request, maxBytes, chunk -> grow(memory, chunk));
  }

  /**
   * The same; the beginning of a body that is longer than {@link BodyStart#BYTES} is looked at as soon as it has arrived.
   *
   * @param look may throw {@link RefusedException}: then the rest is not read
   */
  public Future<Buffer> whole(
      HttpServerRequest request, long maxBytes, Portion memory, Consumer<Buffer> look) {
    BodyStart start = new BodyStart(look);
    return whole(request, maxBytes, chunk -> {
      grow(memory, chunk);
      start.add(chunk);
    });
  }

  private static void grow(Portion memory, Buffer chunk) {
    if (!memory.tryGrow(chunk.length())) {
      throw noMemory();
    }
  }

  private Future<Buffer> whole(HttpServerRequest request, long maxBytes, Consumer<Buffer> onChunk) {
    requireLength(request, maxBytes);
    WatchedBody body = new WatchedBody(request, maxBytes, onChunk);
    reading.add(body);
    welcome(request);
    return body.whole().onComplete(end -> reading.remove(body));
  }

  /**
   * Reads a whole body of a caller that is not known yet; it must arrive within two windows.
   *
   * @param memory for such bodies; this body has left it when the future completes
   * @return fails with {@link RefusedException}, or with the I/O error
   */
  public Future<Buffer> wholeOfStranger(
      HttpServerRequest request, long maxBytes, StrangersBodies memory) {
    requireLength(request, maxBytes);
    Promise<Void> given = Promise.promise();
    StrangersBodies.BodyMemory place =
        memory.begin(StrangersBodies.network(request), given::tryComplete);
    WatchedBody body = new WatchedBody(request, maxBytes, chunk -> {
      if (!place.grow(chunk.length())) {
        throw noMemory();
      }
    });
    body.endsWithin(STRANGERS_WINDOWS);
    given.future().onSuccess(needed -> body.fail(noMemory()));
    reading.add(body);
    welcome(request);
    return body.whole().onComplete(end -> {
      place.end();
      reading.remove(body);
    });
  }

  // Copied, as a body that fails is removed from the set.
  private void lookAtAll() {
    if (!reading.isEmpty()) {
      List.copyOf(reading).stream()
          .filter(WatchedBody::isTooSlowNow)
          .forEach(body -> body.fail(tooSlow()));
    }
  }
}
