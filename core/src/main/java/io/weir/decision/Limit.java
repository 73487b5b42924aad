package io.weir.decision;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.bucket.LeakyBucket;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How one bucket stands after a decision, counted in operations of the kind that was asked for.
 *
 * @param bucket the bucket's name
 * @param quota how many operations an empty bucket admits at once
 * @param windowMillis how long a full bucket takes to drain, in milliseconds
 * @param usedUnits what is used, in units; the number the remaining ones are counted from
 * @param remaining how many operations it would admit now
 * @param resetMicros when it is empty again, in microseconds from now, rounded up
 */
public record Limit(
    String bucket,
    long quota,
    long windowMillis,
    long usedUnits,
    long remaining,
    long resetMicros) {

  /** The limit of a bucket in which {@code usedUnits} are used. */
  static Limit of(Demand demand, long usedUnits) {
    Bucket bucket = demand.bucket();
    long empty = LeakyBucket.emptyAfterMicros(usedUnits, bucket.milliOpsPerSec());
    return new Limit(
        bucket.name(),
        demand.operationsIn(bucket.capacityUnits()),
        bucket.burstMillis(),
        usedUnits,
        demand.operationsIn(bucket.capacityUnits() - usedUnits),
        empty);
  }

  /** When the bucket is empty again, from now. */
  public Duration reset() {
    return Duration.of(resetMicros, ChronoUnit.MICROS);
  }
}
