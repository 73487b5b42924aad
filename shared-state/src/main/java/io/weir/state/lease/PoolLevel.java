package io.weir.state.lease;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.core.slot.SlotLimits;
import io.weir.state.lease.RedisLeases.Answer.Granted;
import java.util.concurrent.TimeUnit;

/**
 * The level of a pool as far as a node knows it, and the last retry time that it told a caller. Mutable; used by one
 * thread at a time.
 */
final class PoolLevel {
  private static final long LEASE_MICROS = NANOSECONDS.toMicros(Lease.LASTS.toNanos());
  private static final double MAX_STEP_MICROS = 31 * 24 * 3600 * 1e6;
  /** How far apart told times are: at least this, and as the turns of buckets that are not leased. */
  private static final long MAX_SPREAD_NANOS = TimeUnit.SECONDS.toNanos(30);
  /** How long a pool saves units for a caller that is late. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Bucket bucket;
  private long used;
  private long others;
  private long holders = 1;
  private long before;
  /** Units that the pool saves for this node, and when it has them; 0 for none. */
  private long earmark;

  private long savedNanos;
  private long beforeLastRetry;
  private long atNanos;
  private long retryNanos;
  private boolean hasDenied;

  PoolLevel(Bucket bucket) {
    this.bucket = bucket;
  }

  /** The pool has answered a report; what this node holds itself is free. */
  void reported(LeaseReport report, Granted granted, long held, long nowNanos) {
    used = granted.used() + granted.out() - held;
    others = granted.out() - report.keeps() - granted.granted();
    holders = granted.holders();
    before = granted.before();
    atNanos = nowNanos;
    boolean isClaimed = granted.granted() > 0 && report.least() >= earmark;
    if (isClaimed || nowNanos - savedNanos > GRACE_NANOS) {
      earmark = 0;
    }
    if (report.earmark() > granted.granted() && report.earmark() >= earmark) {
      earmark = report.earmark();
      long wait = MICROSECONDS.toNanos(granted.waitMicros());
      savedNanos = nowNanos + Math.max(HeldUnits.REPORT_EVERY_NANOS, wait);
    }
  }

  /**
   * Whether the pool should have saved the units of such a cost since the last report: that is true for one report, however
   * many callers ask.
   */
  boolean isSavedFor(long units, long reportedNanos, long nowNanos) {
    boolean isDue = nowNanos - savedNanos >= 0 && reportedNanos - savedNanos < 0;
    return earmark > 0 && units >= earmark && isDue;
  }

  /** This node takes units of what it holds, or gives them back if they are below 0; returns the units used then. */
  long take(long units, long nowNanos) {
    used = Math.max(0, used(nowNanos) + units);
    atNanos = nowNanos;
    return used;
  }

  /** The units that are used now, as far as is known. */
  long used(long nowNanos) {
    long elapsed = NANOSECONDS.toMicros(Math.max(0, nowNanos - atNanos));
    return Math.min(
        bucket.capacityUnits(), LeakyBucket.drained(used, bucket.unitsPerMicro(), elapsed));
  }

  /**
   * How many share what drains: the holders of the pool, nodes and programs; of a bucket of the cluster all live nodes, if
   * these are more.
   */
  private long sharers(int nodes) {
    return Math.max(bucket.scope() == Scope.CLUSTER ? nodes : 1, holders);
  }

  /**
   * How long the next denied caller has to wait. Each holder tells the times of its turn, in the order of the holders.
   *
   * @param nodes the live ones
   * @param soonestNanos when the pool is asked again at the soonest
   */
  long waitMicros(long units, int nodes, long soonestNanos, long nowNanos) {
    long missing = units - (bucket.capacityUnits() - used(nowNanos));
    long micros = Lease.waitMicros(missing, others, bucket.unitsPerMicro(), LEASE_MICROS);
    long soonest = Math.max(soonestNanos, nowNanos + MICROSECONDS.toNanos(micros));
    long turn = soonest + nanosToDrain(units, before);
    long first = earmark > 0 && units >= earmark ? Math.max(turn, savedNanos) : turn;
    long step = nanosToDrain(units, Math.max(1, sharers(nodes) + before - beforeLastRetry));
    long next = hasDenied ? Math.max(first, retryNanos + step) : first;
    boolean isSpread = next - first <= Math.max(MAX_SPREAD_NANOS, SlotLimits.TURNS * step);
    return Math.max(1, NANOSECONDS.toMicros((isSpread ? next : first) - nowNanos));
  }

  private long nanosToDrain(long units, long times) {
    double micros = (double) units * times / bucket.unitsPerMicro();
    return MICROSECONDS.toNanos((long) Math.min(micros, MAX_STEP_MICROS));
  }

  /** A caller was told to wait: the next one is told another time. */
  void denied(long waitMicros, long nowNanos) {
    retryNanos = nowNanos + MICROSECONDS.toNanos(waitMicros);
    beforeLastRetry = before;
    hasDenied = true;
  }

  /** How long what was told has to be remembered, so that the next callers are told other times. */
  long retryInNanos(long nowNanos) {
    return hasDenied ? retryNanos - nowNanos : 0;
  }
}
