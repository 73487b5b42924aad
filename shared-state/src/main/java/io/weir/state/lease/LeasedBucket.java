package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.lane.CallObserver;
import io.weir.state.lease.RedisLeases.Answer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
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
  private volatile boolean isUsed = true;

  /** @param observer of the calls to the pool */
  LeasedBucket(Pool pool, String holder, CallObserver observer, Surroundings around) {
    this.pool = pool;
    this.bucket = pool.bucket();
    this.lease = new Lease(holder);
    this.observer = observer;
    this.around = around;
    this.demand = new LeaseDemand(bucket);
    this.level = new PoolLevel(bucket);
    this.reportedNanos = now() - REPORT_EVERY_NANOS;
  }

  /**
   * What the leased buckets of a node have in common.
   *
   * @param leases the shared pools
   * @param calls the turns of the calls to them
   * @param whenIdle is passed each bucket that holds nothing any more and owes nobody an answer
   */
  record Surroundings(
      RedisLeases leases,
      LeaseCalls calls,
      IntSupplier liveNodes,
      LongSupplier nanoClock,
      Consumer<LeasedBucket> whenIdle) {}

  private record Waiting(long units, CompletableFuture<Taking> answer) {}

  Pool pool() {
    return pool;
  }

  /** Whether it was not used since this was asked before. */
  boolean isUnusedSinceAsked() {
    boolean was = isUsed;
    isUsed = false;
    return !was;
  }

  /** Operations that this node holds and may spend. */
  synchronized double operationsHeld() {
    return (double) lease.balance() / bucket.unitsPerOperation();
  }

  /**
   * Takes units, for a charge of this revision of the policy.
   *
   * @return completes exceptionally with {@link StoreUnavailableException} if the lease has ended and cannot be renewed
   */
  CompletableFuture<Taking> take(long units, long ofRevision) {
    Steps next = new Steps();
    CompletableFuture<Taking> answer = take(units, ofRevision, next);
    next.run();
    return answer;
  }

  private synchronized CompletableFuture<Taking> take(long units, long ofRevision, Steps next) {
    isUsed = true;
    revision = Math.max(revision, ofRevision);
    if (ofRevision < revision) {
      return CompletableFuture.completedFuture(new Taking.Outdated(revision));
    }
    long now = now();
    if (waiting.isEmpty() && lease.has(units, now)) {
      Taking took = took(units, now);
      if (lease.balance() < demand.needed() / 2) {
        reportIfDue(now, next);
      }
      tick(TICK_NANOS, next);
      return CompletableFuture.completedFuture(took);
    }
    if (isDry && now - reportedNanos < REPORT_EVERY_NANOS) {
      tick(TICK_NANOS, next);
      return CompletableFuture.completedFuture(nothing(units, now));
    }
    if (waiting.size() == MAX_WAITING) {
      return CompletableFuture.failedFuture(new StoreUnavailableException(
          StoreFault.OVERLOADED, "too many wait for a lease already", null));
    }
    Waiting mine = new Waiting(units, new CompletableFuture<>());
    waiting.add(mine);
    report(next);
    tick(TICK_NANOS, next);
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

  private void reportIfDue(long now, Steps next) {
    if (now - reportedNanos >= REPORT_EVERY_NANOS) {
      report(next);
    }
  }

  private void report(Steps next) {
    if (!isReporting) {
      isReporting = true;
      next.add(() -> around
          .calls()
          .call(pool.tenant(), this::exchange)
          .whenComplete((exchanged, error) -> heard(exchanged, error)));
    }
  }

  private record Sent(LeaseReport report, long revision, long atNanos) {}

  private record Exchanged(
      Sent sent, @Nullable Answer answer, @Nullable Throwable error) {}

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

  private void heard(@Nullable Exchanged exchanged, @Nullable Throwable refused) {
    Steps next = new Steps();
    hear(exchanged, refused, next);
    next.run();
  }

  private synchronized void hear(
      @Nullable Exchanged exchanged, @Nullable Throwable refused, Steps next) {
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
      if (exchanged != null) {
        lease.unanswered(exchanged.sent().report());
      }
      Throwable cause = Failures.cause(error);
      next.add(() -> observer.ended(!Failures.isOutage(cause)));
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
      Taking taking = has ? took(first.units(), now) : nothing(first.units(), now);
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

  private Taking nothing(long units, long now) {
    demand.add(units);
    long wait = level.waitMicros(units, around.liveNodes().getAsInt(), now);
    return new Taking.Nothing(wait, Math.max(level.used(now), bucket.capacityUnits() - units + 1));
  }

  // Spent units drain only after they are reported, and units held by an idle node are missing on
  // others.
  private void tick(long afterNanos, Steps next) {
    if (!isTicking) {
      isTicking = true;
      next.add(() -> {
        var unused = around.leases().later(this::ticked, Duration.ofNanos(afterNanos));
      });
    }
  }

  private void ticked() {
    Steps next = new Steps();
    tickedNow(next);
    next.run();
  }

  private synchronized void tickedNow(Steps next) {
    isTicking = false;
    long now = now();
    if (lease.isOut(now)) {
      if (now - reportedNanos >= TICK_NANOS) {
        report(next);
      }
      tick(TICK_NANOS, next);
      return;
    }
    long toldFor = level.toldForNanos(now);
    if (isReporting || !waiting.isEmpty() || toldFor > 0) {
      tick(Math.max(TICK_NANOS, toldFor), next);
    } else {
      next.add(() -> around.whenIdle().accept(this));
    }
  }

  private long now() {
    return around.nanoClock().getAsLong();
  }
}
