package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.state.lease.RedisLeases.Answer.Granted;
import java.util.concurrent.TimeUnit;

/**
 * The units of a bucket that a node holds by its lease, its demand for them, and what it knows of their pool. Mutable;
 * used by one thread at a time.
 */
final class HeldUnits {
  static final long REPORT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Bucket bucket;
  private final Lease lease;
  private final LeaseDemand demand;
  private final PoolLevel level;
  private long reportedNanos;
  private boolean isDry;

  HeldUnits(Bucket bucket, String holder, long nowNanos) {
    this.bucket = bucket;
    this.lease = new Lease(holder);
    this.demand = new LeaseDemand(bucket);
    this.level = new PoolLevel(bucket);
    this.reportedNanos = nowNanos - REPORT_EVERY_NANOS;
  }

  /** Operations that may be spent. */
  double operations() {
    return (double) lease.balance() / bucket.unitsPerOperation();
  }

  /** Whether these units may be spent now. */
  boolean has(long units, long nowNanos) {
    return lease.has(units, nowNanos);
  }

  /** Takes units that it {@link #has}; they have to be settled. */
  TakeResult.Took take(long units, long nowNanos) {
    return new TakeResult.Took(lease.take(units), level.take(units, nowNanos));
  }

  /** Spends units that it {@link #has}; returns the units of the bucket that are used then. */
  long spendNow(long units, long nowNanos) {
    lease.spendNow(units);
    demand.add(units);
    return level.take(units, nowNanos);
  }

  /** Settles taken units as spent. */
  void spend(Lease.Taken taken) {
    var unused = lease.settle(taken, true);
    demand.add(taken.units());
  }

  /**
   * Gives taken units back. Units that another bucket denied are no demand: a key far above its own limit must not make
   * this node hold units that other nodes need.
   */
  void giveBack(Lease.Taken taken, long nowNanos) {
    if (lease.settle(taken, false)) {
      var unused = level.take(-taken.units(), nowNanos);
    }
  }

  /** Whether a report may bring units that are missing, as far as is known. */
  boolean mayBeGranted(long units, long nowNanos) {
    return !isDry || level.isSavedFor(units, reportedNanos, nowNanos);
  }

  /** A charge of these units is denied without a report; the pool hears of it by the next one. */
  void deniedUnheard(long units, boolean isLook) {
    demand.denied(isLook ? 0 : units);
  }

  /**
   * The answer to a charge that is denied.
   *
   * @param isLook whether nobody is told of it
   */
  TakeResult.Nothing nothing(long units, boolean isLook, int liveNodes, long nowNanos) {
    demand.add(isLook ? 0 : units);
    long soonestNanos = isDry ? reportedNanos + REPORT_EVERY_NANOS : nowNanos;
    long wait = level.waitMicros(units, liveNodes, soonestNanos, nowNanos);
    if (!isLook) {
      level.denied(wait, nowNanos);
    }
    return new TakeResult.Nothing(
        wait, Math.max(level.used(nowNanos), bucket.capacityUnits() - units + 1));
  }

  /** Whether the last report is so long ago that another one may be made. */
  boolean mayReport(long nowNanos) {
    return nanosSinceReport(nowNanos) >= REPORT_EVERY_NANOS;
  }

  /** Whether half of the need is used up, and another report may be made. */
  boolean isReportDue(long nowNanos) {
    return lease.balance() < demand.needed() / 2 && mayReport(nowNanos);
  }

  long nanosSinceReport(long nowNanos) {
    return nowNanos - reportedNanos;
  }

  /** Makes a report, which is sent now. */
  LeaseReport report(Waiters waiting, long nowNanos) {
    demand.settle(nanosSinceReport(nowNanos));
    reportedNanos = nowNanos;
    return demand.report(lease, waiting, nowNanos);
  }

  /** It is unknown whether the pool has received a report. */
  void unanswered(LeaseReport report) {
    lease.unanswered(report);
  }

  /** Adds what was granted, until {@code endsNanos}. False if it was granted in vain, because it came later than that. */
  boolean granted(LeaseReport report, Granted granted, long endsNanos, long nowNanos) {
    lease.granted(report, granted.granted(), endsNanos, nowNanos);
    if (granted.granted() > 0 && endsNanos - nowNanos <= 0) {
      return false;
    }
    if (granted.granted() >= 0) {
      level.reported(report, granted, lease.balance(), nowNanos);
      isDry = granted.granted() < report.wants();
    }
    return true;
  }

  /** Whether the pool counts something for this node, or has not heard of a denied charge. */
  boolean isOut(long nowNanos) {
    return lease.isOut(nowNanos) || demand.isUnheard();
  }

  /** How long the pool counts this node, or the next denied caller gets a later time than the last one was told. */
  long keptForNanos(long mostNanos, long nowNanos) {
    long wait = Math.min(level.retryInNanos(nowNanos), mostNanos);
    return Math.max(wait, isDry ? Lease.LASTS.toNanos() - nanosSinceReport(nowNanos) : 0);
  }
}
