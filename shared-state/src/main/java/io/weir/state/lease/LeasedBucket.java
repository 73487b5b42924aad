package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node's lease of one bucket. It reports at most every 5 ms and asks for its need of the next 20 ms. A caller that
 * finds no units waits for the report under way, and is denied if that brings none. Units held by an idle node are
 * given back. Safe for use by many threads, one at a time inside; never blocks.
 */
final class LeasedBucket {
  private static final Duration MARGIN = Duration.ofMillis(20);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  static final long REPORT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int MOST_LATE_GRANTS = 2;
  private static final long KEPT_UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Pool pool;
  private final Bucket bucket;
  private final Lease lease;
  private final CallObserver observer;
  private final Surroundings around;
  private final LeaseDemand demand;
  private final PoolLevel level;
  private final Waiters waiting = new Waiters();
  /** How many of the waiting charges the report under way includes. */
  private int counted;

  private long revision;
  private long reportedNanos;
  private int lateGrants;
  private boolean isDry;
  private boolean isReporting;
  private boolean isTicking;
  private boolean isDisplaced;
  private Optional<Future<?>> forgetting = Optional.empty();
  private volatile long usedNanos;

  /** @param observer of the calls to the pool */
  LeasedBucket(Pool pool, String holder, CallObserver observer, Surroundings around) {
    this.pool = pool;
    this.bucket = pool.bucket();
    this.lease = new Lease(holder);
    this.observer = observer;
    this.around = around;
    this.demand = new LeaseDemand(bucket);
    this.level = new PoolLevel(bucket);
    this.usedNanos = now();
    this.reportedNanos = usedNanos - REPORT_EVERY_NANOS;
  }

  Pool pool() {
    return pool;
  }

  /** When it was used last, by the clock of the node. */
  long usedNanos() {
    return usedNanos;
  }

  /** Another bucket has its place: it ends as soon as it holds nothing. */
  synchronized void displace() {
    isDisplaced = true;
    forgetting.ifPresent(timer -> timer.cancel(false));
  }

  /** Operations that this node holds and may spend. */
  synchronized double operationsHeld() {
    return (double) lease.balance() / bucket.unitsPerOperation();
  }

  /**
   * Takes units, for a charge of this revision of the policy.
   *
   * @param isLook whether the units are given back whatever is decided
   * @return completes exceptionally with {@link StoreUnavailableException} if the lease has ended and cannot be renewed
   */
  CompletableFuture<Taking> take(long units, long ofRevision, boolean isLook) {
    Steps next = new Steps();
    CompletableFuture<Taking> answer = take(units, ofRevision, isLook, next);
    next.run();
    return answer;
  }

  private synchronized CompletableFuture<Taking> take(
      long units, long ofRevision, boolean isLook, Steps next) {
    revision = Math.max(revision, ofRevision);
    if (ofRevision < revision) {
      return CompletableFuture.completedFuture(new Taking.Outdated(revision));
    }
    long now = now();
    usedNanos = now;
    if (waiting.isEmpty() && lease.has(units, now)) {
      Taking took = new Taking.Took(lease.take(units), level.take(units, now));
      if (lease.balance() < demand.needed() / 2 && now - reportedNanos >= REPORT_EVERY_NANOS) {
        report(next);
      }
      tick(next);
      return CompletableFuture.completedFuture(took);
    }
    boolean mayHave = !isDry || level.isSavedFor(units, reportedNanos, now);
    if (!mayHave && now - reportedNanos < REPORT_EVERY_NANOS) {
      tick(next);
      demand.denied(isLook ? 0 : units);
      return CompletableFuture.completedFuture(nothing(units, isLook, now));
    }
    CompletableFuture<Taking> answer = waiting.add(units, isLook);
    report(next);
    tick(next);
    return answer;
  }

  // Units that another bucket denied are no demand: a key far above its own limit must not make
  // this node hold units that other nodes need.
  synchronized void settle(Lease.Taken taken, boolean isSpent) {
    boolean isHeld = lease.settle(taken, isSpent);
    if (isSpent) {
      demand.add(taken.units());
    } else if (isHeld) {
      var unused = level.take(-taken.units(), now());
    }
  }

  private void report(Steps next) {
    if (!isReporting) {
      isReporting = true;
      next.add(() -> around
          .callsTo(pool)
          .call(pool.tenant(), this::exchange)
          .whenComplete((exchanged, error) -> locked(after -> hear(exchanged, error, after))));
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
    demand.settle(now - reportedNanos);
    reportedNanos = now;
    counted = waiting.size();
    return new Sent(demand.report(lease, waiting, now), revision, now);
  }

  private void hear(@Nullable Exchanged exchanged, @Nullable Throwable refused, Steps next) {
    isReporting = false;
    Throwable error = exchanged == null ? refused : exchanged.error();
    if (exchanged != null && exchanged.answer() instanceof Answer.Granted granted) {
      granted(exchanged.sent(), granted, next);
    } else if (exchanged != null && exchanged.answer() instanceof Answer.Stale stale) {
      lease.unanswered(exchanged.sent().report());
      revision = Math.max(revision, stale.revision());
      waiting.endAll(waiter -> waiter.complete(new Taking.Outdated(stale.revision())), next);
    } else if (error != null) {
      Throwable cause = Failures.cause(error);
      if (exchanged != null) { // it was sent
        lease.unanswered(exchanged.sent().report());
        next.add(() -> observer.ended(!Failures.isOutage(cause)));
      }
      waiting.endAll(waiter -> waiter.completeExceptionally(cause), next);
    }
  }

  private void granted(Sent sent, Answer.Granted granted, Steps next) {
    long now = now();
    long endsNanos = sent.atNanos() + Lease.LASTS.minus(MARGIN).toNanos();
    boolean isTooLate = granted.granted() > 0 && endsNanos - now <= 0;
    next.add(() -> observer.ended(true)); // also if it comes too late: Redis may be well
    lease.granted(sent.report(), granted.granted(), endsNanos, now);
    if (isTooLate) {
      askAgain(next);
      return;
    }
    lateGrants = 0;
    if (granted.granted() >= 0) {
      level.heard(sent.report(), granted, lease.balance(), now);
      isDry = granted.granted() < sent.report().wants();
    }
    serve(now, next);
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
      boolean has = lease.has(waiting.firstUnits(), now);
      boolean mayHave = !isDry || level.isSavedFor(waiting.firstUnits(), reportedNanos, now);
      if (!has && left <= 0 && mayHave) {
        report(next);
        return;
      }
      Waiters.Waiter first = waiting.next();
      if (!has && left <= 0) {
        demand.denied(first.isLook() ? 0 : first.units());
      }
      Taking taking = has
          ? new Taking.Took(lease.take(first.units()), level.take(first.units(), now))
          : nothing(first.units(), first.isLook(), now);
      next.add(() -> first.answer().complete(taking));
    }
  }

  private Taking nothing(long units, boolean isLook, long now) {
    demand.add(isLook ? 0 : units);
    long soonestNanos = isDry ? reportedNanos + REPORT_EVERY_NANOS : now;
    long wait = level.waitMicros(units, around.liveNodes().getAsInt(), soonestNanos, now);
    if (!isLook) {
      level.told(wait, now);
    }
    return new Taking.Nothing(wait, Math.max(level.used(now), bucket.capacityUnits() - units + 1));
  }

  // Spent units drain only after they are reported, and units held by an idle node are missing on
  // others.
  private void tick(Steps next) {
    if (!isTicking) {
      isTicking = true;
      next.add(() -> {
        var unused = around.later(() -> locked(this::ticked), TICK_NANOS);
      });
    }
  }

  private void ticked(Steps next) {
    isTicking = false;
    long now = now();
    boolean isOut = lease.isOut(now) || demand.isUnheard();
    if (isOut && now - reportedNanos >= TICK_NANOS) {
      report(next);
    }
    if (isOut || isReporting || !waiting.isEmpty()) {
      tick(next);
    } else {
      forgetWhenTold(now, next);
    }
  }

  // The next denied caller gets a later time than was told; and the pool still counts this holder.
  private void forgetWhenTold(long now, Steps next) {
    long told = Math.min(level.toldForNanos(now), usedNanos + KEPT_UNUSED_NANOS - now);
    long keptFor = Math.max(told, isDry ? reportedNanos + Lease.LASTS.toNanos() - now : 0);
    if (isDisplaced || keptFor <= 0) {
      next.add(() -> around.whenIdle().accept(this));
    } else {
      forgetting.ifPresent(timer -> timer.cancel(false));
      forgetting = around.later(() -> locked(this::forget), keptFor);
    }
  }

  private void forget(Steps next) {
    if (!isTicking) {
      forgetWhenTold(now(), next);
    }
  }

  private void locked(Consumer<Steps> what) {
    Steps next = new Steps();
    synchronized (this) {
      what.accept(next);
    }
    next.run();
  }

  private long now() {
    return around.nanoClock().getAsLong();
  }
}
