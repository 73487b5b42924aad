package io.weir.slot;

import io.weir.bucket.Bucket;
import io.weir.bucket.LeakyBucket;

/**
 * How one bucket stands, and what is promised of it. Immutable; {@code docs/explanation/slots.md} has the
 * arithmetic and why the promises hold. The spacing of slots is the virtual scheduling of ITU-T I.371 (the
 * generic cell rate algorithm), applied to appointments.
 *
 * @param atMicros the instant it stands so
 * @param usedUnits the water of admitted requests
 * @param waiting how many open appointments hold water in it; 0 where it has no line
 * @param holeUnits the water of appointments that nobody kept; 0 without a line
 * @param lastSlotMicros where the last appointment stands in this bucket; 0 without a line
 */
public record BucketState(
    long atMicros,
    long milliOpsPerSec,
    long usedUnits,
    long waiting,
    long holeUnits,
    long lastSlotMicros) {

  public BucketState {
    if (waiting <= 0) {
      waiting = 0;
      holeUnits = 0;
      lastSlotMicros = 0;
    }
  }

  /** An empty bucket. */
  public static BucketState empty(long atMicros, Bucket bucket) {
    return new BucketState(atMicros, bucket.milliOpsPerSec(), 0, 0, 0, 0);
  }

  /** The same later: the water drains, and then what nobody kept is lost to time. */
  public BucketState at(long nowMicros) {
    long elapsed = nowMicros - atMicros;
    if (elapsed <= 0) {
      return this;
    }
    long used = LeakyBucket.drained(usedUnits, milliOpsPerSec, elapsed);
    long empty = LeakyBucket.emptyAfterMicros(usedUnits + holeUnits, milliOpsPerSec);
    long holes = holeUnits;
    if (used == 0) {
      holes = elapsed >= empty ? 0 : usedUnits + holeUnits - elapsed * milliOpsPerSec;
    }
    return with(nowMicros, used, waiting, holes, lastSlotMicros);
  }

  /** The same under the rate and burst of a policy; another rate ends its line. */
  public BucketState carriedTo(Bucket bucket) {
    long used = LeakyBucket.carriedOver(usedUnits, milliOpsPerSec, bucket);
    return milliOpsPerSec == bucket.milliOpsPerSec()
        ? with(atMicros, used, waiting, holeUnits, lastSlotMicros)
        : new BucketState(atMicros, bucket.milliOpsPerSec(), used, 0, 0, 0);
  }

  /** The same at an earlier instant, where the clock went back: the level stays. */
  public BucketState rebased(long nowMicros) {
    return with(Math.min(atMicros, nowMicros), usedUnits, waiting, holeUnits, lastSlotMicros);
  }

  /** The same without a line. */
  public BucketState withoutLine() {
    return with(atMicros, usedUnits, 0, 0, 0);
  }

  /** Whether nothing is worth remembering. */
  public boolean isForgettable() {
    return usedUnits == 0 && waiting == 0;
  }

  /** What a new caller finds used: in a line, all but the holes. */
  public long shownUnits(Bucket bucket) {
    return waiting == 0
        ? usedUnits
        : Math.max(usedUnits, bucket.capacityUnits() - Math.min(holeUnits, bucket.capacityUnits()));
  }

  /** Whether it holds this much now, whoever waits. */
  boolean fits(Bucket bucket, long units) {
    return LeakyBucket.fits(bucket, usedUnits, units);
  }

  /** When it is a new caller's turn, behind all who wait; in the past where it could have come before. */
  long turnMicros(Bucket bucket, long units) {
    long room = roomMicros(bucket, units);
    return waiting == 0 ? room : Math.max(room, lastSlotMicros + ceilDiv(units, milliOpsPerSec));
  }

  /** When it holds this much, if nobody else comes. */
  long roomMicros(Bucket bucket, long units) {
    return atMicros + ceilDiv(usedUnits - (bucket.capacityUnits() - units), milliOpsPerSec);
  }

  /** Whether a new caller may pass now: nobody waits, or a hole is large enough, or it is its turn. */
  boolean isReady(Bucket bucket, long units) {
    return fits(bucket, units) && (hasHole(units) || turnMicros(bucket, units) <= atMicros);
  }

  boolean hasHole(long units) {
    return waiting > 0 && units <= holeUnits;
  }

  /** A new caller passes, for which {@link #isReady}. */
  BucketState admitted(Bucket bucket, long units) {
    if (hasHole(units)) {
      return with(atMicros, usedUnits + units, waiting, holeUnits - units, lastSlotMicros);
    }
    long slot = turnMicros(bucket, units);
    return with(atMicros, usedUnits + units, waiting, holeUnits, slot);
  }

  /** A place is taken behind all others, or in a hole. */
  BucketState held(long standsAtMicros, long padMicros) {
    long slot =
        Math.max(waiting == 0 ? Long.MIN_VALUE : lastSlotMicros, standsAtMicros + padMicros);
    return with(atMicros, usedUnits, waiting + 1, holeUnits, slot);
  }

  BucketState heldInHole(long units) {
    return with(atMicros, usedUnits, waiting + 1, holeUnits - units, lastSlotMicros);
  }

  /** Water of an appointment becomes water of an admitted request. */
  BucketState kept(long units) {
    return with(atMicros, usedUnits + units, waiting - 1, holeUnits, lastSlotMicros);
  }

  /** An appointment is gone, and leaves a hole. */
  public BucketState released(long units) {
    long holes = Math.min(holeUnits + units, SlotLimits.MAX_UNITS - usedUnits);
    return with(atMicros, usedUnits, waiting - 1, holes, lastSlotMicros);
  }

  /** Rounded up, of negative numbers too. */
  static long ceilDiv(long dividend, long divisor) {
    return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
  }

  private BucketState with(long at, long used, long newWaiting, long holes, long slot) {
    return new BucketState(at, milliOpsPerSec, used, newWaiting, holes, slot);
  }
}
