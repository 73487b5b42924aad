package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import java.util.concurrent.TimeUnit;

/** How much a node demands of a bucket, as a moving average. Mutable; used by one thread at a time. */
final class LeaseDemand {
  private static final long NEEDED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Bucket bucket;
  private long units;
  private double unitsPerNano;

  LeaseDemand(Bucket bucket) {
    this.bucket = bucket;
  }

  /** Units were demanded. */
  void add(long more) {
    units += more;
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
