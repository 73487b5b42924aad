package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.streams.ReadStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer whose beginning, or all, has been read already; if all, the answer itself is not touched again.
 * A reader gets the beginning first, then the rest as it arrives. Mutable; owned by one request, on its event loop.
 */
final class StartedAnswer implements ReadStream<Buffer> {
  private static final int MOST_BYTES = 4 << 10;
  private static final Pattern JSON =
      Pattern.compile("^application/(?:[a-z0-9.-]+\\+)?json\\s*(?:;|$)", Pattern.CASE_INSENSITIVE);
  // Bodies below 10 kB.
  private static final int MAX_SHORT_DIGITS = 4;

  private final HttpClientResponse answer;
  private final Buffer begin = Buffer.buffer();
  private boolean hasEnded;
  private boolean isPaused = true;
  private boolean isBeginReported;
  private boolean isEndReported;
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;

  private StartedAnswer(HttpClientResponse answer) {
    this.answer = answer;
  }

  /**
   * Reads an answer until it ends, or is too long to be inspected.
   *
   * @param moved called for each chunk
   */
  static Future<StartedAnswer> read(HttpClientResponse answer, Runnable moved) {
    StartedAnswer begun = new StartedAnswer(answer);
    Promise<StartedAnswer> read = Promise.promise();
    answer.exceptionHandler(read::tryFail);
    answer.endHandler(end -> {
      begun.hasEnded = true;
      read.tryComplete(begun);
    });
    answer.handler(chunk -> {
      moved.run();
      begun.begin.appendBuffer(chunk);
      if (begun.begin.length() > MOST_BYTES) {
        answer.pause();
        read.tryComplete(begun);
      }
    });
    answer.resume();
    return read.future();
  }

  /** The whole body, if it has ended. */
  Optional<Buffer> whole() {
    return hasEnded ? Optional.of(begin) : Optional.empty();
  }

  @Override
  public ReadStream<Buffer> handler(@Nullable Handler<Buffer> chunks) {
    handler = chunks;
    if (!hasEnded) {
      answer.handler(chunks == null ? null : this::pass);
    }
    return this;
  }

  private void pass(Buffer chunk) {
    Handler<Buffer> to = handler;
    if (to != null) {
      to.handle(chunk);
    }
  }

  @Override
  public ReadStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> failures) {
    if (!hasEnded) {
      answer.exceptionHandler(failures);
    }
    return this;
  }

  @Override
  public ReadStream<Buffer> endHandler(@Nullable Handler<Void> ends) {
    endHandler = ends;
    if (!hasEnded) {
      answer.endHandler(ends);
    }
    return this;
  }

  @Override
  public ReadStream<Buffer> pause() {
    isPaused = true;
    if (!hasEnded) {
      answer.pause();
    }
    return this;
  }

  @Override
  public ReadStream<Buffer> resume() {
    isPaused = false;
    if (!isBeginReported) {
      isBeginReported = true;
      pass(begin);
    }
    if (isPaused) {
      return this; // the reader paused after the beginning
    }
    Handler<Void> ends = endHandler;
    if (!hasEnded) {
      answer.resume();
    } else if (!isEndReported && ends != null) {
      isEndReported = true;
      ends.handle(null);
    }
    return this;
  }

  @Override
  public ReadStream<Buffer> fetch(long amount) {
    return resume();
  }

  /** Whether the body is JSON that is short enough to be inspected before any of it is passed on. */
  static boolean isSmallJson(HttpClientResponse answer) {
    String type = answer.getHeader(HttpHeaders.CONTENT_TYPE);
    String length = answer.getHeader(HttpHeaders.CONTENT_LENGTH);
    return type != null
        && JSON.matcher(type).find()
        && answer.getHeader(HttpHeaders.CONTENT_ENCODING) == null
        && (length == null || length.length() <= MAX_SHORT_DIGITS);
  }

  // RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5
  static boolean hasNone(HttpMethod method, HttpClientResponse answer) {
    return method.equals(HttpMethod.HEAD)
        || answer.statusCode() == 204
        || answer.statusCode() == 304;
  }

  // A short body is one write instead of one for the head and one for each chunk.
  static boolean isShort(HttpClientResponse answer) {
    String length = answer.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length != null
        && length.length() <= MAX_SHORT_DIGITS
        && answer.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
  }
}
