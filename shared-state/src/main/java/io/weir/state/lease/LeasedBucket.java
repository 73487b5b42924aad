package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.lane.CallObserver;
import io.weir.state.lease.Exchanged.Sent;
import io.weir.state.lease.RedisLeases.Answer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
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
  private static final long REPORT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long KEPT_UNUSED_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int MAX_WAITING = 10_000;

  private final Pool pool;
  private final Bucket bucket;
  private final Lease lease;
  private final CallObserver observer;
  private final Surroundings around;
  private final LeaseDemand demand;
  private final PoolLevel level;
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  /** How many of the waiting charges the report under way includes. */
  private int counted;

  private long revision;
  private long reportedNanos;
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

  private record Waiting(long units, boolean isLook, CompletableFuture<Taking> answer) {}

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
      Taking took = took(units, now);
      boolean isLow = lease.balance() < demand.needed() / 2;
      if (isLow && now - reportedNanos >= REPORT_EVERY_NANOS) {
        report(next);
      }
      tick(next);
      return CompletableFuture.completedFuture(took);
    }
    if (isDry && now - reportedNanos < REPORT_EVERY_NANOS) {
      tick(next);
      return CompletableFuture.completedFuture(nothing(units, isLook, now));
    }
    if (waiting.size() == MAX_WAITING) {
      return CompletableFuture.failedFuture(new StoreUnavailableException(
          StoreFault.OVERLOADED, "too many wait for a lease already", null));
    }
    Waiting mine = new Waiting(units, isLook, new CompletableFuture<>());
    waiting.add(mine);
    report(next);
    tick(next);
    return mine.answer();
  }

  // Units that another bucket denied are no demand: a key far above its own limit must not make
  // this node hold units that other nodes need.
  synchronized void settle(Lease.Taken taken, boolean isSpent) {
    if (isSpent) {
      demand.add(taken.units());
    } else {
      var unused = level.take(-taken.units(), now());
    }
    lease.settle(taken, isSpent);
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
    long waits = waiting.stream().mapToLong(Waiting::units).sum();
    counted = waiting.size();
    long needed = Math.min(bucket.capacityUnits(), Math.max(demand.needed(), waits));
    long first = waiting.isEmpty() ? 0 : waiting.element().units();
    long held = lease.balance(now);
    long least = Math.max(1, first - Math.min(needed, held));
    LeaseReport report = lease.report(needed, Math.max(0, needed - held), least, now);
    return new Sent(report, revision, now);
  }

  private void hear(@Nullable Exchanged exchanged, @Nullable Throwable refused, Steps next) {
    isReporting = false;
    Throwable error = exchanged == null ? refused : exchanged.error();
    if (exchanged != null && exchanged.answer() instanceof Answer.Granted granted) {
      next.add(() -> observer.ended(true));
      granted(exchanged.sent(), granted, next);
    } else if (exchanged != null && exchanged.answer() instanceof Answer.Stale stale) {
      lease.unanswered(exchanged.sent().report());
      revision = Math.max(revision, stale.revision());
      endAll(waiter -> waiter.complete(new Taking.Outdated(stale.revision())), next);
    } else if (error != null) {
      Throwable cause = Failures.cause(error);
      if (exchanged != null) { // it was sent
        lease.unanswered(exchanged.sent().report());
        next.add(() -> observer.ended(!Failures.isOutage(cause)));
      }
      endAll(waiter -> waiter.completeExceptionally(cause), next);
    }
  }

  private void granted(Sent sent, Answer.Granted granted, Steps next) {
    long now = now();
    long endsNanos = sent.atNanos() + Lease.LASTS.minus(MARGIN).toNanos();
    lease.granted(sent.report(), granted.granted(), endsNanos, now);
    level.heard(sent.report(), granted, lease.balance(), now);
    isDry = granted.granted() < sent.report().wants();
    serve(now, next);
  }

  // The report does not include charges that came after it was sent; if there may be units for
  // them, another report is sent.
  private void serve(long now, Steps next) {
    for (int left = counted; !waiting.isEmpty(); left--) {
      boolean has = lease.has(waiting.element().units(), now);
      if (!has && left <= 0 && !isDry) {
        report(next);
        return;
      }
      Waiting first = waiting.remove();
      Taking taking = has ? took(first.units(), now) : nothing(first.units(), first.isLook(), now);
      next.add(() -> first.answer().complete(taking));
    }
  }

  private void endAll(Consumer<CompletableFuture<Taking>> how, Steps next) {
    for (Waiting one : waiting) {
      next.add(() -> how.accept(one.answer()));
    }
    waiting.clear();
  }

  private Taking took(long units, long now) {
    return new Taking.Took(lease.take(units), level.take(units, now));
  }

  private Taking nothing(long units, boolean isLook, long now) {
    demand.add(isLook ? 0 : units);
    int nodes = level.sharers(around.liveNodes().getAsInt());
    long wait = isLook ? level.waitMicros(units, nodes, now) : level.tellMicros(units, nodes, now);
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
    boolean isOut = lease.isOut(now);
    if (isOut && now - reportedNanos >= TICK_NANOS) {
      report(next);
    }
    if (isOut || isReporting || !waiting.isEmpty()) {
      tick(next);
    } else {
      forgetWhenTold(now, next);
    }
  }

  // Whoever is denied next is told another time than those before.
  private void forgetWhenTold(long now, Steps next) {
    long unusedFor = now - usedNanos;
    long keptFor = Math.min(level.toldForNanos(now), KEPT_UNUSED_NANOS - unusedFor);
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
