package io.weir.model;

import io.weir.bucket.Bucket;
import io.weir.bucket.LeakyBucket;
import io.weir.bucket.Rate;
import io.weir.slot.SlotLimits;

/**
 * How one bucket stands, and what is promised of it. Immutable; {@code docs/explanation/slots.md} has the
 * arithmetic and why the promises hold. The spacing of slots is the virtual scheduling of ITU-T I.371 (the
 * generic cell rate algorithm), applied to places.
 *
 * @param atMicros the instant it stands so
 * @param rate of the bucket; another one ends its queue
 * @param usedUnits the level: what admitted requests took and has not drained
 * @param waiting how many open places hold capacity in it; 0 where it has no queue
 * @param unclaimedUnits the capacity of places that nobody kept; 0 without a queue
 * @param lastSlotMicros where the last place stands in this bucket; 0 without a queue
 * @param debtUnits by how much the level may be above the capacity: what was settled above what was reserved
 */
public record BucketState(
    long atMicros,
    Rate rate,
    long usedUnits,
    long waiting,
    long unclaimedUnits,
    long lastSlotMicros,
    long debtUnits) {

  public BucketState {
    if (waiting <= 0) {
      waiting = 0;
      unclaimedUnits = 0;
      lastSlotMicros = 0;
    }
  }

  /** An empty bucket. */
  public static BucketState empty(long atMicros, Bucket bucket) {
    return new BucketState(atMicros, bucket.rate(), 0, 0, 0, 0, 0);
  }

  /** The same later: the level drains, and then what is unclaimed. */
  public BucketState at(long nowMicros) {
    long elapsed = nowMicros - atMicros;
    if (elapsed <= 0) {
      return this;
    }
    long used = LeakyBucket.drained(usedUnits, rate.unitsPerMicro(), elapsed);
    long empty = LeakyBucket.emptyAfterMicros(usedUnits + unclaimedUnits, rate.unitsPerMicro());
    long unclaimed = unclaimedUnits;
    if (used == 0) {
      unclaimed =
          elapsed >= empty ? 0 : usedUnits + unclaimedUnits - elapsed * rate.unitsPerMicro();
    }
    return with(nowMicros, used, waiting, unclaimed, lastSlotMicros);
  }

  /** The same under the rate and burst of a policy; another rate ends its queue. */
  public BucketState carriedTo(Bucket bucket) {
    if (rate.equals(bucket.rate())) {
      long most = bucket.capacityUnits() + debtUnits;
      return with(atMicros, Math.min(usedUnits, most), waiting, unclaimedUnits, lastSlotMicros)
          .withDebtAbove(bucket.capacityUnits());
    }
    long used = LeakyBucket.carriedOver(usedUnits, rate.unitsPerMicro(), bucket);
    return new BucketState(atMicros, bucket.rate(), used, 0, 0, 0, 0);
  }

  /** The same after more was used than was reserved, up to what numbers hold; {@code capacityUnits} as of then. */
  public BucketState owing(long units, long capacityUnits) {
    long most = SlotLimits.MAX_UNITS - unclaimedUnits - usedUnits;
    return with(
            atMicros, usedUnits + Math.min(units, most), waiting, unclaimedUnits, lastSlotMicros)
        .withDebtAbove(capacityUnits);
  }

  /** Whether it holds as much as can be counted. */
  public boolean isAtItsEnd() {
    return usedUnits + unclaimedUnits >= SlotLimits.MAX_UNITS;
  }

  /** The same after so much was given back, as far as it is there: what others wait for, newcomers may have. */
  public BucketState refunded(long units, long capacityUnits) {
    long back = Math.min(units, usedUnits);
    return with(
            atMicros,
            usedUnits - back,
            waiting,
            waiting > 0 ? unclaimedUnits + back : 0,
            lastSlotMicros)
        .withDebtAbove(capacityUnits);
  }

  private BucketState withDebtAbove(long capacityUnits) {
    return new BucketState(
        atMicros,
        rate,
        usedUnits,
        waiting,
        unclaimedUnits,
        lastSlotMicros,
        Math.max(0, usedUnits - capacityUnits));
  }

  /** The same at an earlier instant, where the clock went back: the level stays. */
  public BucketState rebased(long nowMicros) {
    return with(Math.min(atMicros, nowMicros), usedUnits, waiting, unclaimedUnits, lastSlotMicros);
  }

  /** The same without a queue. */
  public BucketState withoutQueue() {
    return with(atMicros, usedUnits, 0, 0, 0);
  }

  /** Whether nothing is worth remembering. */
  public boolean isForgettable() {
    return usedUnits == 0 && waiting == 0;
  }

  /** What a new caller finds used: in a queue, all but what is unclaimed. */
  public long shownUnits(Bucket bucket) {
    return waiting == 0
        ? usedUnits
        : Math.max(
            usedUnits, bucket.capacityUnits() - Math.min(unclaimedUnits, bucket.capacityUnits()));
  }

  /** Whether it holds this much now, regardless of its queue. */
  boolean fits(Bucket bucket, long units) {
    return LeakyBucket.fits(bucket, usedUnits, units);
  }

  /** When it is a new caller's turn, behind all who wait; in the past where it could have come before. */
  long turnMicros(Bucket bucket, long units) {
    long room = roomMicros(bucket, units);
    return waiting == 0
        ? room
        : Math.max(room, lastSlotMicros + LeakyBucket.ceilDiv(units, rate.unitsPerMicro()));
  }

  /** When it holds this much, if nobody else comes. */
  long roomMicros(Bucket bucket, long units) {
    return atMicros
        + LeakyBucket.ceilDiv(usedUnits - (bucket.capacityUnits() - units), rate.unitsPerMicro());
  }

  /** Whether a new caller may pass now: nobody waits, or enough is unclaimed, or it is its turn. */
  boolean isReady(Bucket bucket, long units) {
    return fits(bucket, units) && (hasUnclaimed(units) || turnMicros(bucket, units) <= atMicros);
  }

  boolean hasUnclaimed(long units) {
    return waiting > 0 && units <= unclaimedUnits;
  }

  /** A new caller passes, for which {@link #isReady}. */
  BucketState admitted(Bucket bucket, long units) {
    if (hasUnclaimed(units)) {
      return with(atMicros, usedUnits + units, waiting, unclaimedUnits - units, lastSlotMicros);
    }
    long slot = turnMicros(bucket, units);
    return with(atMicros, usedUnits + units, waiting, unclaimedUnits, slot);
  }

  /** A place is taken behind all others. */
  BucketState held(long standsAtMicros, long padMicros) {
    long slot =
        Math.max(waiting == 0 ? Long.MIN_VALUE : lastSlotMicros, standsAtMicros + padMicros);
    return with(atMicros, usedUnits, waiting + 1, unclaimedUnits, slot);
  }

  BucketState heldUnclaimed(long units) {
    return with(atMicros, usedUnits, waiting + 1, unclaimedUnits - units, lastSlotMicros);
  }

  /** The holder of a place is admitted. */
  BucketState kept(long units) {
    return with(atMicros, usedUnits + units, waiting - 1, unclaimedUnits, lastSlotMicros);
  }

  /** A place is gone, and so much of it is unclaimed. */
  public BucketState released(long units) {
    long unclaimed = Math.min(unclaimedUnits + units, SlotLimits.MAX_UNITS - usedUnits);
    return with(atMicros, usedUnits, waiting - 1, unclaimed, lastSlotMicros);
  }

  private BucketState with(long at, long used, long newWaiting, long unclaimed, long slot) {
    return new BucketState(at, rate, used, newWaiting, unclaimed, slot, debtUnits);
  }
}
