package io.weir.jobs.work;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.weir.client.answer.AnswerStatus;
import io.weir.client.answer.NamedWait;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.work.ResultMemory.Memory;
import io.weir.jobs.work.ResultMemory.Wait;
import io.weir.node.intake.WatchedBody;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;

/**
 * One request of a job to the upstream, with its answer. Fails when nothing has moved for the upstream's timeout, or
 * when it takes longer than the job may. Mutable; owned by one run, on its event loop.
 */
final class JobExchange {
  private static final int FIRST_FINAL_STATUS = 200;
  private static final Set<Integer> NOT_READY = Set.of(202, 404, 409, 425);

  private final Vertx vertx;
  private final HttpClientRequest sending;
  private final long maxBytes;
  private final long silentNanos;
  private final long deadlineNanos;
  private final LongFunction<Wait> memory;
  private final Promise<Answer> ended = Promise.promise();
  private long movedNanos = System.nanoTime();
  private Optional<Wait> waiting = Optional.empty();
  private long timer = -1;

  /**
   * An exchange.
   *
   * @param maxBytes the longest body that is kept
   * @param silentMillis how long nothing may move
   * @param longestMillis how long it may take in all
   * @param memory takes memory for a result of this many bytes
   */
  JobExchange(
      Vertx vertx,
      HttpClientRequest sending,
      long maxBytes,
      long silentMillis,
      long longestMillis,
      LongFunction<Wait> memory) {
    this.vertx = vertx;
    this.memory = memory;
    this.sending = sending;
    this.maxBytes = maxBytes;
    this.silentNanos = TimeUnit.MILLISECONDS.toNanos(silentMillis);
    this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(longestMillis);
  }

  /**
   * An answer of the upstream.
   *
   * @param isWhole whether its body was short enough to be kept
   * @param room the memory of its body, until it is freed
   * @param receipt the place that it names, if it is at the server that answered
   */
  record Answer(
      int status,
      MultiMap headers,
      Buffer body,
      boolean isWhole,
      Optional<Memory> room,
      Optional<ResultAddress> receipt) {
    private static final int INTERNAL_ERROR = 500;
    /** Longer waits are cut to this: no job takes longer. */
    private static final long LONGEST_WAIT_MILLIS = JobParameter.TIMEOUT.max();

    Answer(int status, MultiMap headers, Buffer body, boolean isWhole, Optional<Memory> room) {
      this(status, headers, body, isWhole, room, Optional.empty());
    }

    /** A copy with the place of a receipt. */
    Answer at(Optional<ResultAddress> place) {
      return new Answer(status, headers, body, isWhole, room, place);
    }

    void free() {
      room.ifPresent(Memory::free);
    }

    /** Whether another attempt may get another answer. A 500 is the upstream's own answer to the job. */
    boolean isPassing() {
      return status != INTERNAL_ERROR && AnswerStatus.isPassing(status);
    }

    /** Whether it is a final answer: a status below 200 is interim (RFC 9110, section 15.2). */
    boolean isFinal() {
      return status >= FIRST_FINAL_STATUS;
    }

    /** Whether the result is not ready yet, or the upstream cannot give it now. */
    boolean isUndecided() {
      return !isFinal() || NOT_READY.contains(status) || AnswerStatus.isPassing(status);
    }

    /** The reason of the failure, if the job gets no other answer. */
    String reason() {
      return isFinal() ? "upstream_status_" + status : "upstream_invalid";
    }

    /** The wait that it names, in milliseconds; 0 if there is none. */
    long waitMillis() {
      return waitMillis(Clock.systemUTC().instant());
    }

    /** The same for an answer that arrived at this time of day. */
    long waitMillis(Instant now) {
      return NamedWait.millis(status, headers::getAll, now, LONGEST_WAIT_MILLIS).orElse(0);
    }
  }

  /** Sends the body, if there is one, and reads the answer. */
  Future<Answer> run(Optional<Buffer> body) {
    watch(silentNanos);
    (body.isPresent() ? sending.send(body.get()) : sending.send())
        .compose(this::read)
        .onComplete(ended::tryComplete, ended::tryFail);
    return ended.future().onComplete(done -> {
      vertx.cancelTimer(timer);
      if (done.failed()) {
        waiting.ifPresent(Wait::leave);
        sending.reset();
      }
    });
  }

  private Future<Answer> read(HttpClientResponse head) {
    moved();
    if (head.statusCode() < FIRST_FINAL_STATUS) {
      return unread(head); // its body may never end
    }
    long length = length(head);
    if (length == 0) {
      return read(head, Optional.empty());
    }
    if (length > maxBytes) {
      return unread(head);
    }
    // The answer stays unread at the upstream until there is memory for it.
    head.pause();
    Wait wait = memory.apply(length);
    waiting = Optional.of(wait);
    return wait.room().compose(room -> {
      waiting = Optional.empty();
      moved();
      return ended.future().isComplete()
          ? Future.failedFuture("too late")
          : read(head, Optional.of(room)).onFailure(broken -> room.free());
    });
  }

  private Future<Answer> read(HttpClientResponse head, Optional<Memory> room) {
    WatchedBody body = new WatchedBody(head, maxBytes, chunk -> moved());
    return body.whole()
        .map(whole -> new Answer(head.statusCode(), head.headers(), whole, true, room))
        .recover(error -> {
          room.ifPresent(Memory::free);
          return body.seen() > maxBytes ? unread(head) : Future.failedFuture(error);
        });
  }

  /** The bound for the length of the body: its announced length, or the longest that is kept. */
  private long length(HttpClientResponse head) {
    String length = head.getHeader(HttpHeaders.CONTENT_LENGTH);
    return length != null && length.matches("\\d{1,18}") ? Long.parseLong(length) : maxBytes;
  }

  private static Future<Answer> unread(HttpClientResponse head) {
    Future<Void> unused = head.request().reset();
    return Future.succeededFuture(
        new Answer(head.statusCode(), head.headers(), Buffer.buffer(), false, Optional.empty()));
  }

  private void moved() {
    movedNanos = System.nanoTime();
  }

  private void watch(long nanos) {
    timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), fired -> {
      long now = System.nanoTime();
      long left = Math.min(
          waiting.isPresent() ? silentNanos : silentNanos - (now - movedNanos),
          deadlineNanos - now);
      if (left > 0) {
        watch(left);
      } else {
        ended.tryFail(new TimeoutException("nothing moved, or the job has no time left"));
      }
    });
  }
}
