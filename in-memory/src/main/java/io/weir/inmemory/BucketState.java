package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Rate;
import io.weir.core.slot.SlotLimits;

/**
 * The level of one bucket. Immutable.
 *
 * @param atMicros the instant of the level
 * @param rate of the bucket
 * @param usedUnits the level: the units of admitted requests that have not drained
 * @param debtUnits how far the level may be above the capacity: the settled cost above the reserved cost
 * @param lowUnits while reservations may give units back: the lowest level since their {@link Marks} were stored; else 0
 */
public record BucketState(long atMicros, Rate rate, long usedUnits, long debtUnits, long lowUnits) {

  /** An empty bucket. */
  public static BucketState empty(long atMicros, Bucket bucket) {
    return new BucketState(atMicros, bucket.rate(), 0, 0, 0);
  }

  /** The state at a later instant. */
  public BucketState at(long nowMicros) {
    long elapsed = nowMicros - atMicros;
    if (elapsed <= 0) {
      return this;
    }
    long used = LeakyBucket.drained(usedUnits, rate.unitsPerMicro(), elapsed);
    return new BucketState(nowMicros, rate, used, debtUnits, Math.min(lowUnits, used));
  }

  /**
   * The state under the rate and burst of a policy. A level that a smaller burst cuts is forgiven: a refund must not
   * give it once more. So the marks are dropped then, and by another rate.
   */
  public BucketState carriedTo(Bucket bucket) {
    if (rate.equals(bucket.rate())) {
      long most = bucket.capacityUnits() + debtUnits;
      return usedUnits > most
          ? with(most, bucket.capacityUnits()).unmarked()
          : with(usedUnits, bucket.capacityUnits());
    }
    long used = OtherRate.carriedOver(usedUnits, rate.unitsPerMicro(), bucket);
    return new BucketState(atMicros, bucket.rate(), used, 0, 0);
  }

  /** The state after a request of this bucket was admitted. */
  BucketState admitting(long units, Bucket bucket) {
    return with(usedUnits + units, bucket.capacityUnits());
  }

  /**
   * The state after more was used than was reserved, up to the largest number; {@code capacityUnits} is that of the
   * reservation.
   */
  public BucketState owing(long units, long capacityUnits) {
    return with(usedUnits + Math.min(units, SlotLimits.MAX_UNITS - usedUnits), capacityUnits);
  }

  /** Whether its level is the largest that can be counted. */
  public boolean isAtItsEnd() {
    return usedUnits >= SlotLimits.MAX_UNITS;
  }

  /** The state after a refund of units that are in the bucket. */
  BucketState refunded(long units, long capacityUnits) {
    return with(usedUnits - units, capacityUnits);
  }

  /** The state once its marks are stored. */
  BucketState marked() {
    return new BucketState(atMicros, rate, usedUnits, debtUnits, usedUnits);
  }

  /** The state of which no reservation can give anything back. */
  BucketState unmarked() {
    return new BucketState(atMicros, rate, usedUnits, debtUnits, 0);
  }

  private BucketState with(long used, long capacityUnits) {
    return new BucketState(atMicros, rate, used, Math.max(0, used - capacityUnits), lowUnits);
  }

  /** The state at an earlier instant, if the clock went back: the level stays. */
  public BucketState rebased(long nowMicros) {
    return new BucketState(Math.min(atMicros, nowMicros), rate, usedUnits, debtUnits, lowUnits);
  }

  /** Whether the state need not be kept. */
  public boolean isForgettable() {
    return usedUnits == 0;
  }
}
