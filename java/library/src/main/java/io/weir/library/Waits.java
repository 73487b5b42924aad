package io.weir.library;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.Failures;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Callers that wait for their slots, a bounded number of them. Safe for use by many threads; never blocks. */
final class Waits {
  private final Timers timers;
  private final int most;
  private final Decider decider;
  private final Set<Wait> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean isClosed;

  /** Decides now. */
  @FunctionalInterface
  interface Decider {
    /**
     * Decides on a request.
     *
     * @param withinMicros the longest wait for which a ticket is of use
     */
    CompletionStage<Decision> decide(AcquireRequest request, long withinMicros);
  }

  Waits(Timers timers, int most, Decider decider) {
    this.timers = timers;
    this.most = most;
    this.decider = decider;
  }

  /** The decision on a request that waits for its slot, as long as that is within this time; cancel it to wait no more. */
  CompletableFuture<Decision> acquire(AcquireRequest request, Duration atMost, Delivery delivery) {
    Wait wait = new Wait(timers.nanoTime() + nanos(atMost), delivery);
    open.add(wait);
    CompletableFuture<Decision> unused =
        wait.answer.whenComplete((decision, error) -> wait.isOver());
    if (isClosed) {
      wait.cancel();
    }
    wait.attempt(request);
    return wait.answer;
  }

  private static long nanos(Duration atMost) {
    // A third of the range, so that sums do not overflow.
    long longest = Long.MAX_VALUE / 3;
    if (atMost.isNegative()) {
      return 0;
    }
    return atMost.compareTo(Duration.ofNanos(longest)) < 0 ? atMost.toNanos() : longest;
  }

  /** The number of callers that wait now. */
  int size() {
    return waiting.get();
  }

  /** Ends all waits, and those that begin from now on. */
  void cancel() {
    isClosed = true;
    open.forEach(Wait::cancel);
  }

  private final class Wait {
    private final long untilNanos;
    private final Delivery delivery;
    private final CompletableFuture<Decision> answer = new CompletableFuture<>();
    private final AtomicBoolean isWaiting = new AtomicBoolean();
    private volatile @Nullable ScheduledFuture<?> timer;

    Wait(long untilNanos, Delivery delivery) {
      this.untilNanos = untilNanos;
      this.delivery = delivery;
    }

    void attempt(AcquireRequest request) {
      if (answer.isDone()) {
        return; // its caller has given up
      }
      long within = Math.max(0, NANOSECONDS.toMicros(untilNanos - timers.nanoTime()));
      CompletionStage<Decision> unused = decider
          .decide(request, within)
          .whenComplete((decision, error) -> {
            if (error != null) {
              delivery.run(() -> answer.completeExceptionally(Failures.cause(error)));
            } else if (decision instanceof Denied denied) {
              await(request, denied);
            } else {
              delivery.run(() -> answer.complete(decision));
            }
          });
    }

    private void await(AcquireRequest request, Denied denied) {
      long wait = MICROSECONDS.toNanos(denied.retryAfterMicros());
      if (timers.nanoTime() + wait - untilNanos > 0 || !begins()) {
        delivery.run(() -> answer.complete(denied));
        return;
      }
      timer = timers.afterNanos(wait, () -> {
        ends();
        attempt(request.ticket(denied.ticket()));
      });
      if (timer == null) {
        cancel();
      } else if (answer.isDone()) {
        isOver(); // meanwhile
      }
    }

    private boolean begins() {
      if (waiting.incrementAndGet() > most) {
        waiting.decrementAndGet();
        return false;
      }
      isWaiting.set(true);
      return true;
    }

    private void ends() {
      if (isWaiting.compareAndSet(true, false)) {
        waiting.decrementAndGet();
      }
    }

    void isOver() {
      open.remove(this);
      ends();
      ScheduledFuture<?> last = timer;
      if (last != null) {
        last.cancel(false);
      }
    }

    void cancel() {
      answer.completeExceptionally(new CancellationException("closed while it waited"));
    }
  }
}
