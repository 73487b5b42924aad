package io.weir.core.decision;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Standing;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * The state of one limit after a decision, counted in operations of the requested kind; permits are counted in
 * requests.
 *
 * @param bucket the name of the bucket, quota or permits
 * @param kind the kind of limit
 * @param scope the scope of the limit
 * @param quota how many operations an empty bucket admits at once
 * @param windowMillis the time that a full bucket takes to drain, or the length of a period, in milliseconds; 0 for
 *     permits
 * @param usedUnits the usage, in units of a bucket, else in operations; the basis of the remaining operations
 * @param remaining the operations it would admit now
 * @param resetMicros the time until it is empty or its next period begins, in microseconds, rounded up
 */
public record Limit(
    String bucket,
    Kind kind,
    Scope scope,
    long quota,
    long windowMillis,
    long usedUnits,
    long remaining,
    long resetMicros) {

  /** The state of a limit of another kind; {@code taken} is the usage by the request itself. */
  static Limit of(KindDemand demand, Standing standing, long taken) {
    long used = standing.used() + taken;
    return new Limit(
        demand.name(),
        demand.kind(),
        demand.scope(),
        demand.quota(),
        demand.windowMillis(),
        used,
        Math.max(0, demand.quota() - used),
        standing.resetMicros());
  }

  /** The state of a bucket in which {@code usedUnits} are used. */
  static Limit of(Demand demand, long usedUnits) {
    Bucket bucket = demand.bucket();
    long empty = LeakyBucket.emptyAfterMicros(usedUnits, bucket.unitsPerMicro());
    return new Limit(
        bucket.name(),
        Kind.RATE,
        bucket.scope(),
        demand.operationsIn(bucket.capacityUnits()),
        bucket.burstMillis(),
        usedUnits,
        demand.operationsIn(Math.max(0, bucket.capacityUnits() - usedUnits)),
        empty);
  }

  /** The time until the bucket is empty. */
  public Duration reset() {
    return Duration.of(resetMicros, ChronoUnit.MICROS);
  }
}
