package io.weir.state.lease;

import io.weir.core.lease.Lease;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.lane.CallObserver;
import io.weir.state.lease.Exchanged.Sent;
import io.weir.state.lease.RedisLeases.Answer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node's lease of one bucket. It reports at most every 5 ms and asks for its need of the next 20 ms. A caller that
 * finds no units waits for the report under way, and is denied if that brings none. Units held by an idle node are
 * given back. Safe for use by many threads, one at a time inside; never blocks.
 */
final class LeasedBucket {
  private static final Duration MARGIN = Duration.ofMillis(20);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int MOST_LATE_GRANTS = 2;
  private static final long KEPT_UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Pool pool;
  private final HeldUnits held;
  private final CallObserver observer;
  private final Surroundings around;
  private final Waiters waiting = new Waiters();
  /** How many of the waiting charges the report under way includes. */
  private int counted;

  private long revision;
  private int lateGrants;
  private boolean isReporting;
  private boolean isTicking;
  private boolean isDisplaced;
  private Optional<Future<?>> forgetting = Optional.empty();
  private long usedNanos;

  /** @param observer of the calls to the pool */
  LeasedBucket(Pool pool, String holder, CallObserver observer, Surroundings around) {
    this.pool = pool;
    this.observer = observer;
    this.around = around;
    this.usedNanos = now();
    this.held = new HeldUnits(pool.bucket(), holder, usedNanos);
  }

  Pool pool() {
    return pool;
  }

  /** When it was used last, by the clock of the node. */
  synchronized long usedNanos() {
    return usedNanos;
  }

  /** Another bucket has its place: it ends as soon as it holds nothing. */
  synchronized void displace() {
    isDisplaced = true;
    forgetting.ifPresent(timer -> timer.cancel(false));
  }

  /** Operations that this node holds and may spend. */
  synchronized double operationsHeld() {
    return held.operations();
  }

  /**
   * Spends units at once, for a charge of this revision of the policy.
   *
   * @return the units used then; -1 if {@link #take} has to decide: nothing was spent
   */
  long spendNow(long units, long ofRevision, long now) {
    long used;
    synchronized (this) {
      if (ofRevision < revision || !waiting.isEmpty() || !held.has(units, now)) {
        return -1;
      }
      revision = ofRevision;
      usedNanos = now;
      used = held.spendNow(units, now);
      if (isTicking && !held.isReportDue(now)) {
        return used;
      }
    }
    Steps.afterLock(this, next -> reportIfDue(now, next));
    return used;
  }

  /**
   * Takes units, for a charge of this revision of the policy.
   *
   * @param isLook whether the units are given back whatever is decided
   * @return completes exceptionally with {@link StoreUnavailableException} if the lease has ended and cannot be renewed
   */
  CompletableFuture<TakeResult> take(long units, long ofRevision, boolean isLook) {
    Steps next = new Steps();
    CompletableFuture<TakeResult> answer = take(units, ofRevision, isLook, next);
    next.run();
    return answer;
  }

  private synchronized CompletableFuture<TakeResult> take(
      long units, long ofRevision, boolean isLook, Steps next) {
    revision = Math.max(revision, ofRevision);
    if (ofRevision < revision) {
      return CompletableFuture.completedFuture(new TakeResult.Outdated(revision));
    }
    long now = now();
    usedNanos = now;
    if (waiting.isEmpty() && held.has(units, now)) {
      TakeResult took = held.take(units, now);
      reportIfDue(now, next);
      return CompletableFuture.completedFuture(took);
    }
    if (!held.mayBeGranted(units, now) && !held.mayReport(now)) {
      tick(next);
      held.deniedUnheard(units, isLook);
      return CompletableFuture.completedFuture(nothing(units, isLook, now));
    }
    CompletableFuture<TakeResult> answer = waiting.add(units, isLook);
    report(next);
    tick(next);
    return answer;
  }

  /** Settles taken units as spent, or gives them back. */
  synchronized void settle(Lease.Taken taken, boolean isSpent) {
    if (isSpent) {
      held.spend(taken);
    } else {
      held.giveBack(taken, now());
    }
  }

  private void reportIfDue(long now, Steps next) {
    if (held.isReportDue(now)) {
      report(next);
    }
    tick(next);
  }

  private void report(Steps next) {
    if (!isReporting) {
      isReporting = true;
      next.add(() -> around
          .callsTo(pool)
          .call(pool.tenant(), this::exchange)
          .whenComplete((exchanged, error) ->
              Steps.afterLock(this, after -> receive(exchanged, error, after))));
    }
  }

  // The report is made when its turn has come: what it tells must be true then.
  private CompletionStage<Exchanged> exchange() {
    Sent sent = made();
    return around
        .leases()
        .exchange(pool, sent.report(), sent.revision(), Lease.LASTS)
        .handle((answer, error) -> new Exchanged(sent, answer, error));
  }

  private synchronized Sent made() {
    long now = now();
    counted = waiting.size();
    return new Sent(held.report(waiting, now), revision, now);
  }

  private void receive(@Nullable Exchanged exchanged, @Nullable Throwable refused, Steps next) {
    isReporting = false;
    Throwable error = exchanged == null ? refused : exchanged.error();
    if (exchanged != null && exchanged.answer() instanceof Answer.Granted granted) {
      granted(exchanged.sent(), granted, next);
    } else if (exchanged != null && exchanged.answer() instanceof Answer.Stale stale) {
      held.unanswered(exchanged.sent().report());
      revision = Math.max(revision, stale.revision());
      waiting.endAll(waiter -> waiter.complete(new TakeResult.Outdated(stale.revision())), next);
    } else if (error != null) {
      Throwable cause = Failures.cause(error);
      if (exchanged != null) { // it was sent
        held.unanswered(exchanged.sent().report());
        next.add(() -> observer.ended(!Failures.isOutage(cause)));
      }
      waiting.endAll(waiter -> waiter.completeExceptionally(cause), next);
    }
  }

  private void granted(Sent sent, Answer.Granted granted, Steps next) {
    long now = now();
    long endsNanos = sent.atNanos() + Lease.LASTS.minus(MARGIN).toNanos();
    next.add(() -> observer.ended(true)); // also if it comes too late: Redis may be well
    if (held.granted(sent.report(), granted, endsNanos, now)) {
      lateGrants = 0;
      serve(now, next);
    } else {
      askAgain(next);
    }
  }

  // A pause of this process, or a line of calls, ends.
  private void askAgain(Steps next) {
    lateGrants++;
    if (lateGrants > MOST_LATE_GRANTS) {
      StoreUnavailableException late = new StoreUnavailableException(
          StoreFault.OVERLOADED, "leases were over before their grants arrived", null);
      waiting.endAll(waiter -> waiter.completeExceptionally(late), next);
      lateGrants = 0;
    } else if (!waiting.isEmpty()) {
      report(next);
    }
  }

  // The report does not include charges that came after it was sent; if there may be units for
  // them, another report is sent.
  private void serve(long now, Steps next) {
    for (int left = counted; !waiting.isEmpty(); left--) {
      boolean has = held.has(waiting.firstUnits(), now);
      if (!has && left <= 0 && held.mayBeGranted(waiting.firstUnits(), now)) {
        report(next);
        return;
      }
      Waiters.Waiter first = waiting.next();
      if (!has && left <= 0) {
        held.deniedUnheard(first.units(), first.isLook());
      }
      TakeResult taking =
          has ? held.take(first.units(), now) : nothing(first.units(), first.isLook(), now);
      next.add(() -> first.answer().complete(taking));
    }
  }

  private TakeResult nothing(long units, boolean isLook, long now) {
    return held.nothing(units, isLook, around.liveNodes().getAsInt(), now);
  }

  // Spent units drain only after they are reported, and units held by an idle node are missing on
  // others.
  private void tick(Steps next) {
    if (!isTicking) {
      isTicking = true;
      next.add(() -> {
        var unused = around.later(() -> Steps.afterLock(this, this::ticked), TICK_NANOS);
      });
    }
  }

  private void ticked(Steps next) {
    isTicking = false;
    long now = now();
    boolean isOut = held.isOut(now);
    if (isOut && held.nanosSinceReport(now) >= TICK_NANOS) {
      report(next);
    }
    if (isOut || isReporting || !waiting.isEmpty()) {
      tick(next);
    } else {
      forgetWhenReported(now, next);
    }
  }

  // The next denied caller gets a later time than was told; and the pool still counts this holder.
  private void forgetWhenReported(long now, Steps next) {
    long keptFor = held.keptForNanos(usedNanos + KEPT_UNUSED_NANOS - now, now);
    if (isDisplaced || keptFor <= 0) {
      next.add(() -> around.whenIdle().accept(this));
    } else {
      forgetting.ifPresent(timer -> timer.cancel(false));
      forgetting = around.later(() -> Steps.afterLock(this, this::forget), keptFor);
    }
  }

  private void forget(Steps next) {
    if (!isTicking) {
      forgetWhenReported(now(), next);
    }
  }

  private long now() {
    return around.nanoClock().getAsLong();
  }
}
