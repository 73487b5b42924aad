package io.weir.library;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.Failures;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Callers that wait for their slots, a bounded number of them. Safe for use by many threads; never blocks. */
final class Waits {
  private final Timers timers;
  private final int most;
  private final Function<Ask, CompletionStage<Decision>> decide;
  private final Executor executor;
  private final Map<Long, CompletableFuture<Decision>> waiting = new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();

  /**
   * Nobody waits at first.
   *
   * @param executor completes the answers
   * @param decide decides now, with a ticket where it denies
   */
  Waits(
      Timers timers, int most, Executor executor, Function<Ask, CompletionStage<Decision>> decide) {
    this.timers = timers;
    this.most = most;
    this.executor = executor;
    this.decide = decide;
  }

  /** The decision on an ask that waits for its slot, as long as that is within this time; cancel it to give up. */
  CompletableFuture<Decision> acquire(Ask ask, Duration atMost) {
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    attempt(ask, timers.nanoTime() + nanos(atMost), answer);
    return answer;
  }

  private static long nanos(Duration atMost) {
    // Half of the range, so that sums do not overflow.
    Duration longest = Duration.ofNanos(Long.MAX_VALUE / 2);
    return (atMost.compareTo(longest) < 0 ? atMost : longest).toNanos();
  }

  private void attempt(Ask ask, long untilNanos, CompletableFuture<Decision> answer) {
    if (answer.isDone()) {
      return; // its caller has given up
    }
    CompletionStage<Decision> unused = decide.apply(ask).whenComplete((decision, error) -> {
      if (error != null) {
        executor.execute(() -> answer.completeExceptionally(Failures.cause(error)));
      } else if (decision instanceof Denied denied) {
        await(ask, denied, untilNanos, answer);
      } else {
        complete(answer, decision);
      }
    });
  }

  private void await(Ask ask, Denied denied, long untilNanos, CompletableFuture<Decision> answer) {
    long wait = MICROSECONDS.toNanos(denied.retryAfterMicros());
    if (timers.nanoTime() + wait - untilNanos > 0 || waiting.size() >= most) {
      complete(answer, denied);
      return;
    }
    long id = ids.incrementAndGet();
    waiting.put(id, answer);
    boolean isSet = timers.afterNanos(wait, () -> {
      waiting.remove(id);
      attempt(ask.ticket(denied.ticket()), untilNanos, answer);
    });
    if (!isSet) {
      waiting.remove(id);
      answer.completeExceptionally(new CancellationException("closed while it waited"));
    }
  }

  private void complete(CompletableFuture<Decision> answer, Decision decision) {
    executor.execute(() -> answer.complete(decision));
  }

  int size() {
    return waiting.size();
  }

  /** Ends all waits. */
  void cancel() {
    waiting
        .values()
        .forEach(answer ->
            answer.completeExceptionally(new CancellationException("closed while it waited")));
    waiting.clear();
  }
}
