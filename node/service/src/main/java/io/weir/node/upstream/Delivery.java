package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import java.util.Optional;

/**
 * How one request is sent, and its answer taken: as a stream to the caller, or whole. Mutable; owned by the request's
 * event loop.
 *
 * @param <T> the answer
 */
interface Delivery<T> {
  /** The cause of a failure without an answer. */
  enum Cause {
    SERVER,
    /** The caller, or this node. */
    CALLER,
    /** The caller hung up while the server was silent. */
    HANG_UP
  }

  /**
   * Sends the request once.
   *
   * @param filter is shown the answer before any of it is passed on
   */
  Future<T> send(HttpClientRequest outgoing, SendSlot slot, AnswerFilter filter);

  /** Gives up the attempt. */
  void giveUp();

  /** The body, if it has been read. */
  Optional<Buffer> body();

  /** Whether the body is there to be sent again, and not longer than this. */
  boolean isReplayable(long mostBytes);

  /** Whether the body, if there is one, is sent at once: then the time of the answer is the server's. */
  boolean isTimed();

  /** Whether an answer has begun for which the attempt is not given up. */
  boolean isAnswering();

  /** Whether the caller has part of the answer, or it is being read for good. */
  boolean isBegun();

  /** Whether the caller has hung up. */
  boolean isGone();

  /** The latest end, as of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none. */
  long deadlineNanos();

  /**
   * The cause of a failure.
   *
   * @param isAnswered whether an answer had begun
   */
  Cause cause(Throwable error, boolean isAnswered);
}
