package io.weir.state.lease;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.lane.CallObserver;
import io.weir.state.lease.RedisLeases.Answer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
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
  private static final Duration TICK = Duration.ofMillis(20);
  private static final long REPORT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long NEEDED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MAX_TOLD_MICROS = TimeUnit.SECONDS.toMicros(30);
  private static final int MAX_WAITING = 10_000;

  private final RedisLeases leases;
  private final Bucket bucket;
  private final Lease lease;
  private final CallObserver observer;
  private final IntSupplier liveNodes;
  private final LongSupplier nanoClock;
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  /** How many of the waiting charges the report under way includes. */
  private int counted;

  private long revision;
  private long reportedNanos;
  private long demanded;
  private double unitsPerNano;
  private boolean isDry;
  private long freeAtNanos;
  private long toldNanos;
  private long usedByAll;
  private long usedAtNanos;
  private boolean isTicking;

  LeasedBucket(
      RedisLeases leases,
      Bucket bucket,
      String holder,
      CallObserver observer,
      IntSupplier liveNodes,
      LongSupplier nanoClock) {
    this.leases = leases;
    this.bucket = bucket;
    this.lease = new Lease(holder);
    this.observer = observer;
    this.liveNodes = liveNodes;
    this.nanoClock = nanoClock;
    this.reportedNanos = nanoClock.getAsLong() - REPORT_EVERY_NANOS;
  }

  /** The result of taking units. */
  sealed interface Taking {
    /** The units are taken, and have to be settled. */
    record Took(Lease.Taken taken, long used) implements Taking {}

    /** No units are left. */
    record Nothing(long waitMicros, long used) implements Taking {}

    /** A newer policy is in force. */
    record Outdated(long revision) implements Taking {}
  }

  private record Waiting(long units, CompletableFuture<Taking> answer) {}

  /** Steps to run after the lock is released. */
  private record Next(List<Runnable> steps) {
    Next() {
      this(new ArrayList<>());
    }

    void run() {
      steps.forEach(Runnable::run);
    }
  }

  Bucket bucket() {
    return bucket;
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
  CompletionStage<Taking> take(long units, long ofRevision) {
    Next next = new Next();
    CompletionStage<Taking> answer = take(units, ofRevision, next);
    next.run();
    return answer;
  }

  private synchronized CompletionStage<Taking> take(long units, long ofRevision, Next next) {
    revision = Math.max(revision, ofRevision);
    if (ofRevision < revision) {
      return CompletableFuture.completedFuture(new Taking.Outdated(revision));
    }
    long now = nanoClock.getAsLong();
    if (waiting.isEmpty() && lease.has(units, now)) {
      Taking took = new Taking.Took(lease.take(units), used(now));
      if (lease.balance() < needed() / 2) {
        reportIfDue(now, next);
      }
      tick(next);
      return CompletableFuture.completedFuture(took);
    }
    if (isDry && now - reportedNanos < REPORT_EVERY_NANOS) {
      return CompletableFuture.completedFuture(nothing(units, now));
    }
    if (waiting.size() == MAX_WAITING) {
      return CompletableFuture.failedFuture(new StoreUnavailableException(
          StoreFault.OVERLOADED, "too many wait for a lease already", null));
    }
    Waiting mine = new Waiting(units, new CompletableFuture<>());
    waiting.add(mine);
    if (!lease.isAsking()) {
      report(now, next);
    }
    tick(next);
    return mine.answer();
  }

  // Units that another bucket denied are no demand: a key far above its own limit must not make
  // this node hold units that other nodes need.
  synchronized void settle(Lease.Taken taken, boolean isSpent) {
    demanded += isSpent ? taken.units() : 0;
    lease.settle(taken, isSpent);
  }

  private void reportIfDue(long now, Next next) {
    if (!lease.isAsking() && now - reportedNanos >= REPORT_EVERY_NANOS) {
      report(now, next);
    }
  }

  private void report(long now, Next next) {
    long elapsed = Math.max(1, now - reportedNanos);
    // A moving average: a short interval has little weight.
    double weight = Math.min(1, (double) elapsed / NEEDED_FOR_NANOS);
    unitsPerNano += ((double) demanded / elapsed - unitsPerNano) * weight;
    demanded = 0;
    reportedNanos = now;
    long waits = waiting.stream().mapToLong(Waiting::units).sum();
    counted = waiting.size();
    long needed = Math.min(bucket.capacityUnits(), Math.max(needed(), waits));
    long first = waiting.isEmpty() ? 0 : waiting.element().units();
    long least = Math.max(1, first - Math.min(needed, lease.balance()));
    LeaseReport report = lease.report(needed, Math.max(0, needed - lease.balance()), least, now);
    long ofRevision = revision;
    next.steps()
        .add(() -> leases
            .exchange(bucket, report, ofRevision, Lease.LASTS)
            .whenComplete((answer, error) -> heard(report, now, answer, error)));
  }

  private long needed() {
    double needed = unitsPerNano * NEEDED_FOR_NANOS;
    return needed < bucket.unitsPerOperation()
        ? 0 // so seldom asked that each asks for its own
        : (long) Math.min(needed, (double) bucket.capacityUnits());
  }

  private void heard(
      LeaseReport report, long sentNanos, @Nullable Answer answer, @Nullable Throwable error) {
    Next next = new Next();
    hear(report, sentNanos, answer, error, next);
    next.run();
  }

  private synchronized void hear(
      LeaseReport report,
      long sentNanos,
      @Nullable Answer answer,
      @Nullable Throwable error,
      Next next) {
    long now = nanoClock.getAsLong();
    if (answer instanceof Answer.Granted granted) {
      next.steps().add(() -> observer.ended(true));
      lease.granted(
          report, granted.granted(), sentNanos + Lease.LASTS.minus(MARGIN).toNanos(), now);
      usedByAll = granted.used() + granted.out() - lease.balance();
      usedAtNanos = now;
      isDry = granted.granted() < report.wants();
      freeAtNanos = now + MICROSECONDS.toNanos(granted.waitMicros());
      serve(now, next);
    } else if (answer instanceof Answer.Stale stale) {
      lease.unanswered(report);
      revision = Math.max(revision, stale.revision());
      endAll(waiter -> waiter.complete(new Taking.Outdated(stale.revision())), next);
    } else if (error != null) {
      lease.unanswered(report);
      Throwable cause = Failures.cause(error);
      next.steps().add(() -> observer.ended(!Failures.isOutage(cause)));
      endAll(waiter -> waiter.completeExceptionally(cause), next);
    }
  }

  // The report does not include charges that came after it was sent; if there may be units for
  // them, another report is sent.
  private void serve(long now, Next next) {
    for (int left = counted; !waiting.isEmpty(); left--) {
      boolean has = lease.has(waiting.element().units(), now);
      if (!has && left <= 0 && !isDry) {
        report(now, next);
        return;
      }
      Waiting first = waiting.remove();
      Taking taking =
          has ? new Taking.Took(lease.take(first.units()), used(now)) : nothing(first.units(), now);
      next.steps().add(() -> first.answer().complete(taking));
    }
  }

  private void endAll(Consumer<CompletableFuture<Taking>> how, Next next) {
    for (Waiting one : waiting) {
      next.steps().add(() -> how.accept(one.answer()));
    }
    waiting.clear();
  }

  // Each caller gets a different retry time: the drained units are shared among the nodes.
  private Taking nothing(long units, long now) {
    demanded += units;
    long first = Math.max(now, freeAtNanos);
    long step = MICROSECONDS.toNanos(units * liveNodes.getAsInt() / bucket.unitsPerMicro());
    toldNanos = Math.max(first, toldNanos + step);
    if (toldNanos - now > MICROSECONDS.toNanos(MAX_TOLD_MICROS)) {
      toldNanos = first;
    }
    long wait = Math.max(1, NANOSECONDS.toMicros(toldNanos - now));
    return new Taking.Nothing(wait, Math.max(used(now), bucket.capacityUnits() - units + 1));
  }

  private long used(long now) {
    long elapsed = NANOSECONDS.toMicros(Math.max(0, now - usedAtNanos));
    return Math.min(
        bucket.capacityUnits(), LeakyBucket.drained(usedByAll, bucket.unitsPerMicro(), elapsed));
  }

  // Spent units drain only after they are reported, and units held by an idle node are missing on
  // others.
  private void tick(Next next) {
    if (!isTicking) {
      isTicking = true;
      next.steps().add(() -> {
        var unused = leases.later(this::ticked, TICK);
      });
    }
  }

  private void ticked() {
    Next next = new Next();
    tickedNow(next);
    next.run();
  }

  private synchronized void tickedNow(Next next) {
    isTicking = false;
    long now = nanoClock.getAsLong();
    if (lease.isOut(now)) {
      if (now - reportedNanos >= TICK.toNanos() && !lease.isAsking()) {
        report(now, next);
      }
      tick(next);
    }
  }
}
