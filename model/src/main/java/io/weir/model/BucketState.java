package io.weir.model;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Rate;
import io.weir.core.slot.SlotLimits;

/**
 * The state of one bucket, with its promises. Immutable; {@code docs/explanation/slots.md} has the arithmetic and why
 * the promises hold. The spacing of slots is the virtual scheduling of ITU-T I.371 (the generic cell rate algorithm),
 * applied to places.
 *
 * @param atMicros the instant of the state
 * @param rate of the bucket; a change of rate ends its queue
 * @param usedUnits the level: the units of admitted requests that have not drained
 * @param waiting the number of open places that hold capacity in it; 0 without a queue
 * @param unclaimedUnits the capacity of places whose callers did not come; 0 without a queue
 * @param lastSlotMicros the time of the last place in this bucket; 0 without a queue
 * @param debtUnits how far the level may be above the capacity: the settled cost above the reserved cost
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

  /** The state at a later instant: the level drains, then the unclaimed capacity. */
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

  /** The state under the rate and burst of a policy; another rate ends its queue. */
  public BucketState carriedTo(Bucket bucket) {
    if (rate.equals(bucket.rate())) {
      long most = bucket.capacityUnits() + debtUnits;
      return with(atMicros, Math.min(usedUnits, most), waiting, unclaimedUnits, lastSlotMicros)
          .withDebtAbove(bucket.capacityUnits());
    }
    long used = OtherRate.carriedOver(usedUnits, rate.unitsPerMicro(), bucket);
    return new BucketState(atMicros, bucket.rate(), used, 0, 0, 0, 0);
  }

  /**
   * The state after more was used than was reserved, up to the largest number; {@code capacityUnits} is that of the
   * reservation.
   */
  public BucketState owing(long units, long capacityUnits) {
    long most = SlotLimits.MAX_UNITS - unclaimedUnits - usedUnits;
    return with(
            atMicros, usedUnits + Math.min(units, most), waiting, unclaimedUnits, lastSlotMicros)
        .withDebtAbove(capacityUnits);
  }

  /** Whether its level is the largest that can be counted. */
  public boolean isAtItsEnd() {
    return usedUnits + unclaimedUnits >= SlotLimits.MAX_UNITS;
  }

  /** The state after a refund, at most down to an empty bucket: if callers wait, the refund is for newcomers. */
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

  /** The state at an earlier instant, if the clock went back: the level stays. */
  public BucketState rebased(long nowMicros) {
    return with(Math.min(atMicros, nowMicros), usedUnits, waiting, unclaimedUnits, lastSlotMicros);
  }

  /** The state without a queue. */
  public BucketState withoutQueue() {
    return with(atMicros, usedUnits, 0, 0, 0);
  }

  /** Whether the state need not be kept. */
  public boolean isForgettable() {
    return usedUnits == 0 && waiting == 0;
  }

  /** The level that a newcomer sees: with a queue, the whole capacity except the unclaimed part. */
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

  /** The turn of a newcomer, after all waiting callers; in the past if it could have come before. */
  long turnMicros(Bucket bucket, long units) {
    long room = roomMicros(bucket, units);
    return waiting == 0
        ? room
        : Math.max(room, lastSlotMicros + LeakyBucket.ceilDiv(units, rate.unitsPerMicro()));
  }

  /** The time when it has room for this much, if no other caller comes. */
  long roomMicros(Bucket bucket, long units) {
    return atMicros
        + LeakyBucket.ceilDiv(usedUnits - (bucket.capacityUnits() - units), rate.unitsPerMicro());
  }

  /** Whether a newcomer may pass now: no caller waits, or enough is unclaimed, or it is its turn. */
  boolean isReady(Bucket bucket, long units) {
    return fits(bucket, units) && (hasUnclaimed(units) || turnMicros(bucket, units) <= atMicros);
  }

  boolean hasUnclaimed(long units) {
    return waiting > 0 && units <= unclaimedUnits;
  }

  /** Admits a newcomer for which the bucket {@link #isReady}. */
  BucketState admitted(Bucket bucket, long units) {
    if (hasUnclaimed(units)) {
      return with(atMicros, usedUnits + units, waiting, unclaimedUnits - units, lastSlotMicros);
    }
    long slot = turnMicros(bucket, units);
    return with(atMicros, usedUnits + units, waiting, unclaimedUnits, slot);
  }

  /** Adds a place after all others. */
  BucketState held(long standsAtMicros, long padMicros) {
    long slot =
        Math.max(waiting == 0 ? Long.MIN_VALUE : lastSlotMicros, standsAtMicros + padMicros);
    return with(atMicros, usedUnits, waiting + 1, unclaimedUnits, slot);
  }

  BucketState heldUnclaimed(long units) {
    return with(atMicros, usedUnits, waiting + 1, unclaimedUnits - units, lastSlotMicros);
  }

  /** Admits the holder of a place. */
  BucketState kept(long units) {
    return with(atMicros, usedUnits + units, waiting - 1, unclaimedUnits, lastSlotMicros);
  }

  /** Removes a place; {@code units} of it become unclaimed. */
  public BucketState released(long units) {
    long unclaimed = Math.min(unclaimedUnits + units, SlotLimits.MAX_UNITS - usedUnits);
    return with(atMicros, usedUnits, waiting - 1, unclaimed, lastSlotMicros);
  }

  private BucketState with(long at, long used, long newWaiting, long unclaimed, long slot) {
    return new BucketState(at, rate, used, newWaiting, unclaimed, slot, debtUnits);
  }
}
