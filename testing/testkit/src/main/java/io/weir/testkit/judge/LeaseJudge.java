package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.RateJudge.Shape;
import java.math.BigInteger;

/**
 * Judges leases of a bucket by what their holders spend: it is never more than the bucket allows, and a pool that is not
 * in use grants what it is asked for. Mutable; owned by one test.
 */
final class LeaseJudge {
  /** A pool forgets leases and whoever asked in vain after this time. */
  private static final long REMEMBERED_MICROS = 60_000_000;

  private final ManualClock clock;
  private final RateJudge rates;
  private long usedUntil;

  LeaseJudge(ManualClock clock) {
    this.clock = clock;
    this.rates = new RateJudge(clock);
  }

  /** A holder spent units of its lease. */
  void spent(Shape shape, long units) {
    rates.admitted(shape, BigInteger.valueOf(units));
  }

  /** A pool granted units to a holder that wants so many, and has no use for less than the least. */
  void granted(Shape shape, long wants, long least, long granted) {
    require(granted <= wants, shape, "granted", granted, "of", wants);
    require(granted == 0 || granted >= least, shape, "granted", granted, "below", least);
    long most = Math.min(wants, shape.capacity());
    boolean isUnused = usedUntil < clock.getAsLong();
    require(
        !isUnused || most < least || granted == most,
        shape,
        "is not in use, and granted",
        granted,
        "of",
        wants);
    used(shape);
  }

  /** The clock was set back: the pool goes on at the new time with its next report. */
  void setBack() {
    usedUntil = Long.MAX_VALUE;
  }

  /** The pool took a report, and may have leases. */
  void used(Shape shape) {
    rates.shaped(shape);
    long drained = shape.capacity() / shape.unitsPerMicro() + 1;
    usedUntil = clock.getAsLong() + REMEMBERED_MICROS + drained;
  }
}
