package io.weir.node.envoy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.envoy.GrpcCall.Bounds;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A call with a stream of messages each way. Messages are answered one after the other, in their order. Mutable; owned by
 * its event loop.
 */
final class GrpcStream {
  private static final int MOST_WAITING = 100;
  private static final Buffer NOTHING = Buffer.buffer();

  private final HttpServerRequest request;
  private final GrpcAnswer answer;
  private final Bounds bounds;
  private final Method method;
  private final Deque<Message> messages = new ArrayDeque<>();
  private Buffer unread = NOTHING;
  private int held;
  private boolean isBusy;
  private boolean isDraining;
  private boolean isPaused;
  private boolean isComplete;
  private boolean isEnded;

  /**
   * A message of the caller.
   *
   * @param bytes all that it takes here
   * @param arrivedNanos when its end arrived
   */
  record Message(Buffer content, int bytes, long arrivedNanos) {}

  /** The task of a stream. */
  interface Method {
    /** Answers a message, by an empty one to send nothing; may throw, or fail with {@link GrpcException}. */
    Future<Buffer> answer(Message message);

    /** The stream has ended. */
    void ended(GrpcStream stream);
  }

  private GrpcStream(HttpServerRequest request, Bounds bounds, Method method) {
    this.request = request;
    this.answer = new GrpcAnswer(request.response());
    this.bounds = bounds;
    this.method = method;
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

  /** Ends the stream by an error. */
  void fail(Throwable error) {
    if (end()) {
      answer.fail(error);
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
      unread = unread.length() == 0 ? bytes.copy() : unread.appendBuffer(bytes);
      split();
      next();
    }
  }

  private void split() {
    int at = 0;
    while (!isEnded && unread.length() - at >= GrpcAnswer.PREFIX_BYTES) {
      long length = unread.getUnsignedInt(at + 1);
      if (unread.getByte(at) != 0) {
        fail(new GrpcException(
            GrpcStatus.UNIMPLEMENTED, "a compressed message (expected: identity)"));
      } else if (length > bounds.bytes()) {
        fail(new GrpcException(
            GrpcStatus.RESOURCE_EXHAUSTED,
            "the message has more than %d bytes".formatted(bounds.bytes())));
      } else if (messages.size() == MOST_WAITING) {
        isPaused = true;
        request.pause(); // the others wait in the connection
        break;
      } else if (unread.length() - at - GrpcAnswer.PREFIX_BYTES < length) {
        break;
      } else {
        int begin = at + GrpcAnswer.PREFIX_BYTES;
        at = begin + (int) length;
        int bytes = GrpcAnswer.PREFIX_BYTES + (int) length;
        messages.add(new Message(unread.getBuffer(begin, at), bytes, System.nanoTime()));
      }
    }
    if (isEnded || at == unread.length()) {
      unread = NOTHING;
    } else if (at > 0) {
      unread = unread.getBuffer(at, unread.length());
    }
  }

  // A loop, as most answers are there at once: the messages that a caller sends must not deepen the
  // stack.
  private void next() {
    if (isDraining) {
      return;
    }
    isDraining = true;
    while (!isBusy && !isEnded && hasMessage()) {
      answer(messages.remove());
    }
    isDraining = false;
    if (isBusy || isEnded || !isComplete) {
      return;
    }
    if (unread.length() > 0) {
      fail(GrpcException.invalid("the stream ends within a message"));
    } else if (end()) {
      answer.end();
    }
  }

  private boolean hasMessage() {
    if (messages.isEmpty() && isPaused) {
      isPaused = false;
      split();
      request.resume();
    }
    return !messages.isEmpty();
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
        write(done.result());
        next();
      }
    });
  }

  private Future<Buffer> answered(Message message) {
    try {
      return method.answer(message);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  // Answers that are not read would arrive too late.
  private void write(Buffer message) {
    if (message.length() == 0) {
      return;
    }
    if (answer.isFull()) {
      fail(new GrpcException(GrpcStatus.RESOURCE_EXHAUSTED, "the answers are not read"));
    } else {
      answer.write(message);
    }
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
      messages.clear();
      unread = NOTHING;
      free(held);
      method.ended(this);
    }
    return isFirst;
  }
}
