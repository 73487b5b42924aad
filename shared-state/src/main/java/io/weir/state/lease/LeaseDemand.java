package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import java.util.concurrent.TimeUnit;

/** How much a node demands of a bucket, as a moving average, and the reports that ask for it. Mutable; used by one thread at a time. */
final class LeaseDemand {
  private static final long NEEDED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Bucket bucket;
  private long units;
  private double unitsPerNano;
  /** The most that a charge asked for that was denied without a report, since the last one. */
  private long deniedUnits;

  LeaseDemand(Bucket bucket) {
    this.bucket = bucket;
  }

  /** Units were demanded. */
  void add(long more) {
    units += more;
  }

  /** A charge of these units was denied without a report. */
  void denied(long units) {
    deniedUnits = Math.max(deniedUnits, units);
  }

  /** Whether the pool has not heard of a charge that was denied. */
  boolean isUnheard() {
    return deniedUnits > 0;
  }

  /**
   * Makes a report. If it has too little for the first that waits, all is given back and asked for again: so the pool sees
   * the whole cost, the same each time.
   */
  LeaseReport report(Lease lease, Waiters waiting, long nowNanos) {
    long needed = Math.min(bucket.capacityUnits(), Math.max(needed(), waiting.units()));
    long first = waiting.firstUnits();
    long held = lease.balance(nowNanos);
    long keeps = first > held ? 0 : Math.min(needed, held);
    long earmark = Math.max(deniedUnits, waiting.mostUnits());
    deniedUnits = 0;
    return lease.report(keeps, needed - keeps, Math.max(1, first - keeps), earmark, nowNanos);
  }

  /** An interval ends; a short one has little weight. */
  void settle(long nanos) {
    long elapsed = Math.max(1, nanos);
    double weight = Math.min(1, (double) elapsed / NEEDED_FOR_NANOS);
    unitsPerNano += ((double) units / elapsed - unitsPerNano) * weight;
    units = 0;
  }

  /** The demand of the next 20 ms; 0 if it is so seldom demanded that each charge asks for its own. */
  long needed() {
    double needed = unitsPerNano * NEEDED_FOR_NANOS;
    return needed < bucket.unitsPerOperation()
        ? 0
        : (long) Math.min(needed, (double) bucket.capacityUnits());
  }
}
