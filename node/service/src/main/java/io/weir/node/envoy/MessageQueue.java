package io.weir.node.envoy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.weir.core.assignment.Assignment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The messages of a stream that wait for their answer. If there are many, the others wait in the connection. Mutable;
 * owned by one event loop.
 */
final class MessageQueue {
  private static final int MOST_WAITING = 100;
  private static final long MOST_NANOS_OF_MESSAGE = Duration.ofSeconds(30).toNanos();
  private static final Buffer NOTHING = Buffer.buffer();

  private final ReadStream<?> source;
  private final int mostBytes;
  private final Deque<Message> messages = new ArrayDeque<>();
  private Buffer unread = NOTHING;
  private long begunNanos; // of the message that has no end yet
  private boolean isPaused;
  private boolean isBehind;
  private long behindSinceNanos;
  private long behindUntilNanos;

  /**
   * A message of the caller.
   *
   * @param bytes all that it takes here
   * @param writtenNanos an instant before which the caller did not write it
   */
  record Message(Buffer content, int bytes, long writtenNanos) {}

  /** @param mostBytes of a message */
  MessageQueue(ReadStream<?> source, int mostBytes) {
    this.source = source;
    this.mostBytes = mostBytes;
  }

  /** Adds bytes; throws {@link GrpcException} if no message begins so. */
  void add(Buffer bytes, long now) {
    begunNanos = unread.length() == 0 ? now : begunNanos;
    unread = unread.length() == 0 ? bytes.copy() : unread.appendBuffer(bytes);
    split(now);
  }

  /** The next message, if there is one. */
  Optional<Message> poll(long now) {
    if (messages.isEmpty() && isPaused) {
      isPaused = false;
      behindUntilNanos = now + Assignment.ARRIVES.toNanos();
      split(now);
      if (!isPaused) {
        source.resume();
      }
    }
    return Optional.ofNullable(messages.poll());
  }

  /** Whether there is a part of a message. */
  boolean isWithinMessage() {
    return unread.length() > 0;
  }

  /** Whether the end of a message is missing for too long. */
  boolean isOverdue(long now) {
    return isWithinMessage() && !isPaused && now - begunNanos > MOST_NANOS_OF_MESSAGE;
  }

  private void split(long now) {
    int at = 0;
    while (hasMessage(at)) {
      if (messages.size() == MOST_WAITING) {
        pause(now);
        break;
      }
      int begin = at + GrpcAnswer.PREFIX_BYTES;
      int end = begin + (int) unread.getUnsignedInt(at + 1);
      messages.add(new Message(unread.getBuffer(begin, end), end - at, writtenNanos(now)));
      at = end;
    }
    if (at > 0) {
      begunNanos = now;
      unread = at == unread.length() ? NOTHING : unread.getBuffer(at, unread.length());
    }
  }

  private boolean hasMessage(int at) {
    if (unread.length() - at < GrpcAnswer.PREFIX_BYTES) {
      return false;
    }
    long length = unread.getUnsignedInt(at + 1);
    if (unread.getByte(at) != 0) {
      throw new GrpcException(
          GrpcStatus.UNIMPLEMENTED, "a compressed message (expected: identity)");
    }
    if (length > mostBytes) {
      throw new GrpcException(
          GrpcStatus.RESOURCE_EXHAUSTED, "the message has more than %d bytes".formatted(mostBytes));
    }
    return unread.length() - at - GrpcAnswer.PREFIX_BYTES >= length;
  }

  private void pause(long now) {
    isPaused = true;
    source.pause();
    behindSinceNanos = isBehind(now) ? behindSinceNanos : now;
    isBehind = true;
  }

  // Messages that come soon after a pause may have waited since its begin, here or at the caller.
  private long writtenNanos(long now) {
    return isBehind(now) ? behindSinceNanos : now;
  }

  private boolean isBehind(long now) {
    isBehind &= isPaused || now - behindUntilNanos < 0;
    return isBehind;
  }
}
