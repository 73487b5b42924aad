package io.weir.node.envoy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.envoy.BodyBudget.NetworkBudget;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One call of one message and one answer. Mutable; owned by its event loop.
 *
 * @see <a href="https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md">the protocol</a>
 */
final class GrpcCall {
  /** The time for a message to arrive. */
  private static final long MOST_NANOS_OF_MESSAGE = Duration.ofSeconds(30).toNanos();

  private static final Pattern TIMEOUT = Pattern.compile("\\d{1,8}[HMSmun]");

  /**
   * The bounds of messages.
   *
   * @param bytes of one
   * @param budget of all of the caller's network
   */
  record Bounds(int bytes, NetworkBudget budget) {}

  private final HttpServerRequest request;
  private final Bounds bounds;
  private final Method method;
  private final long arrivedNanos = System.nanoTime();
  private final long timeoutNanos;
  private final Buffer body = Buffer.buffer();
  private boolean isAnswered;

  /** The deadline of a caller. */
  interface Deadline {
    /** Throws {@link GrpcException} if it has passed: nothing is to be charged. */
    void require();
  }

  /** A method of a service. */
  @FunctionalInterface
  interface Method {
    /** Answers a message; may throw {@link GrpcException}, or fail with it. */
    Future<Buffer> answer(Buffer message, Deadline deadline);
  }

  private GrpcCall(HttpServerRequest request, Bounds bounds, Method method) {
    this.request = request;
    this.bounds = bounds;
    this.method = method;
    this.timeoutNanos = timeoutNanos(request.getHeader("grpc-timeout"));
  }

  /** The calls whose message has no end yet. Mutable; owned by one event loop. */
  static final class Arriving {
    private final Set<GrpcCall> calls = new LinkedHashSet<>(); // oldest first

    /** Ends calls whose message does not arrive: their bytes are others', too. */
    void check(long now) {
      for (GrpcCall call : List.copyOf(calls)) {
        if (now - call.arrivedNanos <= MOST_NANOS_OF_MESSAGE) {
          return;
        }
        calls.remove(call);
        call.fail(new GrpcException(
            GrpcStatus.DEADLINE_EXCEEDED, "the rest of the message did not come"));
      }
    }
  }

  static void serve(HttpServerRequest request, Bounds bounds, Arriving arriving, Method method) {
    GrpcCall call = new GrpcCall(request, bounds, method);
    arriving.calls.add(call);
    request.exceptionHandler(gone -> {
      arriving.calls.remove(call);
      call.ends();
    });
    request.handler(call::arrived);
    request.endHandler(ended -> {
      arriving.calls.remove(call);
      call.answer();
    });
  }

  /** Refuses a call without its message. */
  static void refuse(HttpServerRequest request, GrpcException refusal) {
    request.exceptionHandler(gone -> {});
    Bounds none = new Bounds(0, new BodyBudget(0).open(""));
    new GrpcCall(request, none, (message, deadline) -> Future.failedFuture(refusal)).fail(refusal);
  }

  private void arrived(Buffer bytes) {
    if (isAnswered) {
      return;
    }
    if (body.length() + bytes.length() > GrpcAnswer.PREFIX_BYTES + bounds.bytes()) {
      fail(new GrpcException(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "the message has more than %d bytes".formatted(bounds.bytes())));
    } else if (!bounds.budget().tryTake(bytes.length())) {
      fail(new GrpcException(GrpcStatus.RESOURCE_EXHAUSTED, "too many messages at once"));
    } else {
      body.appendBuffer(bytes);
    }
  }

  private void answer() {
    if (isAnswered) {
      return;
    }
    try {
      requireInTime();
      method.answer(message(), this::requireInTime).onComplete(done -> {
        if (done.succeeded()) {
          succeed(done.result());
        } else {
          fail(done.cause());
        }
      });
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void requireInTime() {
    if (System.nanoTime() - arrivedNanos > timeoutNanos) {
      throw new GrpcException(
          GrpcStatus.DEADLINE_EXCEEDED, "the deadline had passed: nothing was charged");
    }
  }

  private Buffer message() {
    if (body.length() < GrpcAnswer.PREFIX_BYTES
        || body.getUnsignedInt(1) != body.length() - (long) GrpcAnswer.PREFIX_BYTES) {
      throw GrpcException.invalid("there is no message, or more than one");
    }
    if (body.getByte(0) != 0) {
      throw new GrpcException(
          GrpcStatus.UNIMPLEMENTED, "a compressed message (expected: identity)");
    }
    return body.slice(GrpcAnswer.PREFIX_BYTES, body.length());
  }

  // A timeout that cannot be read is none.
  private static long timeoutNanos(@Nullable String text) {
    if (text == null || !TIMEOUT.matcher(text).matches()) {
      return Long.MAX_VALUE;
    }
    long number = Long.parseLong(text.substring(0, text.length() - 1));
    return switch (text.charAt(text.length() - 1)) {
      case 'H' -> TimeUnit.HOURS.toNanos(number);
      case 'M' -> TimeUnit.MINUTES.toNanos(number);
      case 'S' -> TimeUnit.SECONDS.toNanos(number);
      case 'm' -> TimeUnit.MILLISECONDS.toNanos(number);
      case 'u' -> TimeUnit.MICROSECONDS.toNanos(number);
      default -> number;
    };
  }

  // Whether this is the first answer, or the end of a call that gets none.
  private boolean ends() {
    boolean isFirst = !isAnswered;
    if (isFirst) {
      isAnswered = true;
      bounds.budget().giveBack(body.length());
    }
    return isFirst;
  }

  private void succeed(Buffer message) {
    if (ends()) {
      new GrpcAnswer(request.response()).end(message);
    }
  }

  private void fail(Throwable error) {
    if (ends()) {
      new GrpcAnswer(request.response()).fail(error);
    }
  }
}
