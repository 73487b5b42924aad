package io.weir.decision;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.bucket.LeakyBucket;
import io.weir.bucket.Scope;
import io.weir.kind.Kind;
import io.weir.kind.KindDemand;
import io.weir.kind.Standing;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How one limit stands after a decision, counted in operations of the kind that was asked for; permits are counted in
 * requests.
 *
 * @param bucket the name of the bucket, quota or permits
 * @param kind what it limits
 * @param scope whose it is
 * @param quota how many operations an empty bucket admits at once
 * @param windowMillis how long a full bucket takes to drain, or a period is, in milliseconds; 0 for permits
 * @param usedUnits what is used, in units of a bucket, else in operations; the number the remaining ones are counted from
 * @param remaining how many operations it would admit now
 * @param resetMicros when it is empty again, or begins anew, in microseconds from now, rounded up
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

  /** How a limit of another kind stands; {@code taken} is what the request itself has used of it. */
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

  /** The limit of a bucket in which {@code usedUnits} are used. */
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

  /** When the bucket is empty again, from now. */
  public Duration reset() {
    return Duration.of(resetMicros, ChronoUnit.MICROS);
  }
}
