package io.weir.node.envoy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.assignment.Assignment;
import io.weir.node.envoy.GrpcCall.Bounds;
import io.weir.node.envoy.MessageQueue.Message;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * A call with a stream of messages each way. Messages are answered one after the other, in their order. Mutable; owned by
 * its event loop.
 */
final class GrpcStream {
  /** Sent later than this, an answer may arrive too late: its caller does not read. */
  private static final long MOST_NANOS_OF_ANSWER = Assignment.ARRIVES.toNanos() / 4;

  private final GrpcAnswer answer;
  private final Bounds bounds;
  private final Method method;
  private final MessageQueue messages;
  private int held;
  private OptionalLong writtenNanos = OptionalLong.empty(); // of the answer that is being sent
  private boolean isBusy;
  private boolean isDraining;
  private boolean isComplete;
  private boolean isEnded;

  /** The task of a stream. */
  interface Method {
    /**
     * Answers a message by others, one after the other, of which empty ones are not sent; may throw, or fail with
     * {@link GrpcException}.
     *
     * @param write completes when an answer was sent
     */
    Future<Void> answer(Message message, Function<Buffer, Future<Void>> write);

    /** The stream has ended. */
    void ended(GrpcStream stream);
  }

  private GrpcStream(HttpServerRequest request, Bounds bounds, Method method) {
    this.answer = new GrpcAnswer(request.response());
    this.bounds = bounds;
    this.method = method;
    this.messages = new MessageQueue(request, bounds.bytes());
  }

  static GrpcStream serve(HttpServerRequest request, Bounds bounds, Method method) {
    GrpcStream stream = new GrpcStream(request, bounds, method);
    request.exceptionHandler(gone -> stream.end());
    request.response().exceptionHandler(gone -> stream.end());
    request.response().closeHandler(closed -> stream.end());
    request.handler(stream::arrived);
    request.endHandler(complete -> {
      stream.isComplete = true;
      stream.next();
    });
    stream.answer.begin();
    return stream;
  }

  /** Ends the stream by an error, without its reason if an answer was not read yet. */
  void fail(Throwable error) {
    if (writtenNanos.isPresent()) {
      reset();
    } else if (end()) {
      answer.fail(error);
    }
  }

  /** Ends the stream if its caller does not read, or does not write the rest of a message. */
  void check(long now) {
    if (writtenNanos.isPresent() && now - writtenNanos.getAsLong() > MOST_NANOS_OF_ANSWER) {
      reset();
    } else if (messages.isOverdue(now)) {
      fail(new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "the rest of a message did not come"));
    }
  }

  private void reset() {
    if (end()) {
      answer.reset();
    }
  }

  private void arrived(Buffer bytes) {
    if (isEnded) {
      return;
    }
    if (held + bytes.length() > GrpcAnswer.PREFIX_BYTES + bounds.bytes()) {
      fail(new GrpcException(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "messages of more than %d bytes that are not answered".formatted(bounds.bytes())));
    } else if (!bounds.budget().tryTake(bytes.length())) {
      fail(new GrpcException(GrpcStatus.RESOURCE_EXHAUSTED, "too many messages at once"));
    } else {
      held += bytes.length();
      added(bytes);
      next();
    }
  }

  private void added(Buffer bytes) {
    try {
      messages.add(bytes, System.nanoTime());
    } catch (GrpcException e) {
      fail(e);
    }
  }

  // A loop, as most answers are there at once: the messages that a caller sends must not deepen the
  // stack.
  private void next() {
    if (isDraining) {
      return;
    }
    isDraining = true;
    try {
      Optional<Message> message = polled();
      while (message.isPresent()) {
        answer(message.get());
        message = polled();
      }
    } catch (GrpcException e) {
      fail(e);
    }
    isDraining = false;
    if (isBusy || isEnded || !isComplete) {
      return;
    }
    if (messages.isWithinMessage()) {
      fail(GrpcException.invalid("the stream ends within a message"));
    } else if (end()) {
      answer.end();
    }
  }

  private Optional<Message> polled() {
    return isBusy || isEnded ? Optional.empty() : messages.poll(System.nanoTime());
  }

  private void answer(Message message) {
    isBusy = true;
    answered(message).onComplete(done -> {
      isBusy = false;
      if (isEnded) {
        return;
      }
      free(message.bytes());
      if (done.failed()) {
        fail(done.cause());
      } else {
        next();
      }
    });
  }

  private Future<Void> answered(Message message) {
    try {
      return method.answer(message, this::write);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<Void> write(Buffer message) {
    if (message.length() == 0 || isEnded) {
      return Future.succeededFuture();
    }
    writtenNanos = OptionalLong.of(System.nanoTime());
    return answer
        .write(message)
        .otherwiseEmpty() // the stream ends by its handler
        .onComplete(sent -> writtenNanos = OptionalLong.empty());
  }

  private void free(int bytes) {
    held -= bytes;
    bounds.budget().giveBack(bytes);
  }

  // Whether it had not ended before.
  private boolean end() {
    boolean isFirst = !isEnded;
    if (isFirst) {
      isEnded = true;
      free(held);
      method.ended(this);
    }
    return isFirst;
  }
}
