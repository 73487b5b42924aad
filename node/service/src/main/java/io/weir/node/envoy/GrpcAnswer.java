package io.weir.node.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.HoldNeededException;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.throttle.UnknownSubjectException;
import io.weir.node.answer.RefusedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the answer of a call: its messages, and the status at its end. */
final class GrpcAnswer {
  /** The bytes before each message: whether it is compressed, and its length. */
  static final int PREFIX_BYTES = 5;

  private static final Logger LOG = LoggerFactory.getLogger(GrpcAnswer.class);
  private static final CharSequence CONTENT_TYPE = HttpHeaders.createOptimized("application/grpc");
  private static final CharSequence STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence MESSAGE = HttpHeaders.createOptimized("grpc-message");

  /** gRPC shows it as {@link GrpcStatus#RESOURCE_EXHAUSTED}. */
  private static final long ENHANCE_YOUR_CALM = 0xb;

  private final HttpServerResponse response;

  GrpcAnswer(HttpServerResponse response) {
    this.response = response;
  }

  /** Writes the only message, and the end. */
  void end(Buffer message) {
    response.headers().set(HttpHeaders.CONTENT_TYPE, CONTENT_TYPE);
    response.trailers().set(STATUS, GrpcStatus.OK.code());
    var unused = response.end(framed(message));
  }

  /** Begins an answer of several messages. */
  void begin() {
    response.headers().set(HttpHeaders.CONTENT_TYPE, CONTENT_TYPE);
    var unused = response.writeHead();
  }

  /** Writes one of several messages; completes when it was sent. */
  Future<Void> write(Buffer message) {
    return response.write(framed(message));
  }

  /** Ends the call at once, without the messages that are still to be sent. */
  void reset() {
    var unused = response.reset(ENHANCE_YOUR_CALM);
  }

  /** Ends an answer of several messages. */
  void end() {
    response.trailers().set(STATUS, GrpcStatus.OK.code());
    var unused = response.end();
  }

  /** Ends the call by an error, after the messages that it has. */
  void fail(Throwable error) {
    GrpcException refusal = refusal(Failures.cause(error));
    MultiMap last = response.headWritten() ? response.trailers() : response.headers();
    if (!response.headWritten()) {
      last.set(HttpHeaders.CONTENT_TYPE, CONTENT_TYPE);
    }
    last.set(STATUS, refusal.status().code());
    last.set(MESSAGE, escaped(String.valueOf(refusal.getMessage())));
    var unused = response.end();
  }

  private static Buffer framed(Buffer message) {
    return Buffer.buffer(PREFIX_BYTES + message.length())
        .appendByte((byte) 0)
        .appendInt(message.length())
        .appendBuffer(message);
  }

  /** The status of a call that failed. */
  static GrpcException refusal(Throwable error) {
    if (error instanceof GrpcException refusal) {
      return refusal;
    }
    if (error instanceof StoreUnavailableException) {
      return new GrpcException(GrpcStatus.UNAVAILABLE, "Redis did not answer in time");
    }
    if (error instanceof UnknownSubjectException) {
      return new GrpcException(GrpcStatus.UNAVAILABLE, "the policy has changed meanwhile");
    }
    if (error instanceof HoldNeededException) {
      return GrpcException.invalid("the operation takes permits (expected: one without)");
    }
    if (error instanceof RefusedException refused) {
      return new GrpcException(GrpcStatus.UNAVAILABLE, refused.problem().code());
    }
    LOG.warn("a call could not be answered", error);
    return new GrpcException(GrpcStatus.INTERNAL, "the call could not be answered");
  }

  private static String escaped(String message) {
    StringBuilder text = new StringBuilder(message.length());
    for (byte b : message.getBytes(UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        text.append((char) b);
      } else {
        text.append("%%%02X".formatted(b & 0xff));
      }
    }
    return text.toString();
  }
}
