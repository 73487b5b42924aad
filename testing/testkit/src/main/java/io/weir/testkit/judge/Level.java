package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.RateJudge.Shape;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The level of a bucket between two bounds, each a {@link Replay}. They differ only after a step back of the clock, a
 * change of the policy, or more than {@value #EXACT} reservations: the lower one drains while time passes, the upper one
 * by the clock. Mutable; owned by one judge.
 */
final class Level {
  /** The reservations of a bucket for which refunds are exact; of more, less may be given back. */
  private static final int EXACT = 8;

  /** So long after the end of its lease a refund is exact at least. */
  private static final long REFUNDABLE_MICROS = 600_000_000;

  private final ManualClock clock;
  private final Replay low = new Replay();
  private final Replay high = new Replay();
  private final Map<String, Long> refundableUntil = new HashMap<>();
  // Reservations of before the rate changed, as long as the bucket has not been empty since.
  private final Set<String> ofOtherRates = new HashSet<>();
  private Shape shape;
  private long lowAt;
  private long highAt;
  private long awaitedUntil;
  private long calmFrom;
  private long calmAfter;
  private long lingers;

  /** Whether refunds may be less than what was taken, until the bucket is empty. */
  private boolean isInexact;

  /** Whether a reservation of another policy was settled: what exceeds the capacity may be dropped. */
  private boolean isCutDue;

  Level(ManualClock clock, Shape shape) {
    this.clock = clock;
    this.shape = shape;
    this.lowAt = clock.passedMicros();
    this.highAt = clock.getAsLong();
  }

  /** Whether somebody may wait. */
  boolean isAwaited() {
    return clock.getAsLong() < awaitedUntil;
  }

  /** Requires that no more is used than the capacity, after units were admitted. */
  void requireBound(BigInteger units) {
    require(
        low.level().compareTo(shape.bound()) <= 0,
        shape,
        "admitted",
        units,
        "units: then",
        low.level(),
        "are used");
  }

  /** Whether nothing is remembered of anybody who waited. */
  boolean isCalm() {
    return clock.getAsLong() >= calmFrom && calmAfter == 0;
  }

  /**
   * Somebody may wait until then, and be remembered for some time by the next charge after that.
   *
   * @param calmMicros nothing is remembered so long after that, and so long after the next charge
   */
  void await(long untilMicros, long lingersMicros, long calmMicros) {
    awaitedUntil = Math.max(awaitedUntil, untilMicros);
    calmFrom = Math.max(calmFrom, untilMicros + calmMicros);
    calmAfter = Math.max(calmAfter, calmMicros);
    lingers = lingersMicros;
  }

  private void seeWaiting() {
    if (clock.getAsLong() >= calmFrom) {
      calmFrom = clock.getAsLong() + calmAfter;
      calmAfter = 0;
    }
    if (!isAwaited() && lingers > 0) {
      awaitedUntil = clock.getAsLong() + lingers;
      lingers = 0;
    }
  }

  private BigInteger highest() {
    long passed = Math.max(0, clock.getAsLong() - highAt);
    return high.level().subtract(shape.drained(passed)).max(BigInteger.ZERO);
  }

  /** Units were taken. */
  void charge(BigInteger units) {
    seeWaiting();
    drainHigh();
    low.charge(units);
    high.charge(units);
  }

  /** Units were taken that may be changed later. */
  void reserve(String id, BigInteger units, long leaseEndsMicros) {
    seeWaiting();
    drainHigh();
    low.charge(id, units);
    high.charge(id, units);
    refundableUntil.put(id, leaseEndsMicros + REFUNDABLE_MICROS);
    ofOtherRates.remove(id); // used again
    isInexact |= high.changeable() > EXACT;
    if (isInexact) {
      high.reset(high.level());
    }
  }

  /** Changes the units of a reservation. A debt does not drain before the latest time of the clock. */
  void settle(Shape then, String id, BigInteger before, BigInteger after, long latest) {
    drainLow();
    isCutDue |= !then.equals(shape);
    BigInteger more = after.subtract(before);
    if (more.signum() > 0) {
      BigInteger[] moved = then.in(shape, more);
      low.charge(moved[0]);
      drainHighOn();
      high.charge(moved[0].add(moved[1].min(BigInteger.ONE)));
      highAt = Math.max(highAt, latest);
    } else if (more.signum() < 0) {
      refund(then, id, after, more.negate());
    }
  }

  // A late refund may be too small, or too large after a step back of the clock. Units of another
  // rate may be given back once the bucket has that rate again.
  private void refund(Shape then, String id, BigInteger after, BigInteger less) {
    boolean isInTime = clock.getAsLong() < refundableUntil.getOrDefault(id, 0L);
    if (ofOtherRates.remove(id) && then.rate().equals(shape.rate())) {
      low.drain(less);
    } else if (isInTime || clock.passedMicros() == clock.getAsLong()) {
      low.change(id, after);
    } else {
      low.drain(less);
    }
    if (isInTime && high.isChangeable(id) && highest().signum() > 0) {
      drainHighOn();
      high.change(id, after);
    }
  }

  /** Units were given back that no reservation took. What exceeds a smaller capacity may be dropped. */
  void giveBack(Shape then, BigInteger units) {
    BigInteger left = least(then).subtract(units).max(BigInteger.ZERO);
    low.drain(low.level().subtract(then.in(shape, left)[0]));
    drainHighOn();
    high.drain(then.in(shape, units)[0]);
  }

  /** The least that is used by a policy with this shape. Another rate keeps the time to drain, a smaller capacity cuts the level. */
  BigInteger least(Shape next) {
    drainLow();
    boolean isCut = isCutDue || !next.equals(shape);
    BigInteger level = shape.in(next, low.level())[0];
    return isCut ? level.min(next.bound()) : level;
  }

  /** The most that is used. */
  BigInteger most(Shape next) {
    BigInteger[] level = shape.in(next, highest());
    return level[0].add(level[1].min(BigInteger.ONE));
  }

  /**
   * A policy has another shape: what was taken at another rate is not given back while that lasts, and what exceeds the
   * capacity may be dropped.
   */
  void reshape(Shape next) {
    BigInteger least = least(next);
    if (!next.rate().equals(shape.rate())) {
      ofOtherRates.addAll(low.changeableIds());
      low.reset(least);
    } else if (least.compareTo(low.level()) < 0) {
      low.drain(low.level().subtract(least));
    }
    isCutDue = false;
    if (!next.equals(shape)) {
      BigInteger[] level = shape.in(next, high.level());
      high.reset(level[0].add(level[1].min(BigInteger.ONE)));
      isInexact = true;
      shape = next;
    }
  }

  private void drainLow() {
    low.drain(shape.drained(clock.passedMicros() - lowAt));
    lowAt = clock.passedMicros();
    if (low.level().signum() == 0) {
      ofOtherRates.clear();
    }
  }

  // Only what was taken moves a store on: if the clock is set back, it continues from there.
  private void drainHigh() {
    high.drain(shape.drained(Math.max(0, clock.getAsLong() - highAt)));
    highAt = clock.getAsLong();
    isInexact &= high.level().signum() > 0;
  }

  private void drainHighOn() {
    if (highAt < clock.getAsLong()) {
      drainHigh();
    }
  }
}
