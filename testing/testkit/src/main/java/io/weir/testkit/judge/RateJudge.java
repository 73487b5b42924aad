package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges buckets: what was admitted and not given back, less what has drained, is never above the capacity, and what
 * fits is not denied while nobody waits. Mutable; owned by one test.
 */
final class RateJudge {
  private final ManualClock clock;
  private final Map<String, Level> levels = new HashMap<>();
  private long latest;

  RateJudge(ManualClock clock) {
    this.clock = clock;
  }

  /**
   * A bucket as a policy shapes it.
   *
   * @param name with its owner
   * @param rate in any words, equal for equal rates
   */
  record Shape(String name, String rate, long unitsPerMicro, long capacity) {
    BigInteger drained(long micros) {
      return BigInteger.valueOf(micros).multiply(BigInteger.valueOf(unitsPerMicro));
    }

    /** Units of this bucket in those of another rate: the time to drain stays. The second is what is left over. */
    BigInteger[] in(Shape other, BigInteger units) {
      return units
          .multiply(BigInteger.valueOf(other.unitsPerMicro))
          .divideAndRemainder(BigInteger.valueOf(unitsPerMicro));
    }

    BigInteger bound() {
      return BigInteger.valueOf(capacity);
    }
  }

  /** All state was lost. */
  void forget() {
    levels.clear();
  }

  /** A policy shapes a bucket from now on. */
  void shaped(Shape shape) {
    at(shape);
  }

  /** A bucket admitted units. */
  void admitted(Shape shape, BigInteger units) {
    Level level = at(shape);
    level.charge(units);
    level.requireBound(units);
  }

  /** A bucket admitted units that may be {@link #settled}; their lease ends at that time of the clock. */
  void reserved(Shape shape, String id, BigInteger units, long leaseEndsMicros) {
    Level level = at(shape);
    level.reserve(id, units, leaseEndsMicros);
    level.requireBound(units);
  }

  /**
   * The units of a reservation are others. Those that are less were never taken; those that are more count from now on,
   * and may exceed the capacity.
   */
  void settled(Shape shape, String id, BigInteger before, BigInteger after) {
    of(shape).settle(shape, id, before, after, latest);
  }

  /**
   * Units were given back that no reservation took: as many as were used, or as were asked for.
   */
  void refunded(Shape shape, BigInteger asked, BigInteger units) {
    BigInteger least = asked.min(least(shape));
    BigInteger most = asked.min(most(shape));
    require(
        units.compareTo(least) >= 0 && units.compareTo(most) <= 0,
        shape,
        "gave back",
        units,
        "units, not from",
        least,
        "to",
        most);
    if (units.signum() > 0) {
      of(shape).giveBack(shape, units);
    }
  }

  /** A caller was shown that so many units are used. */
  void shown(Shape shape, BigInteger units) {
    Level level = of(shape);
    BigInteger least = level.least(shape);
    require(units.compareTo(least) >= 0, shape, "shows", units, "units, but", least, "are used");
    BigInteger most = level.most(shape);
    require(
        level.isAwaited() || units.compareTo(most) <= 0,
        shape,
        "shows",
        units,
        "units, but at most",
        most,
        "are used, and nobody waits");
  }

  /** Whether units must be admitted now: they fit, and nobody waits. */
  boolean isFree(Shape shape, BigInteger units) {
    Level level = of(shape);
    return !level.isAwaited() && level.most(shape).add(units).compareTo(shape.bound()) <= 0;
  }

  /** Whether units have no room, whoever waits. */
  boolean isFull(Shape shape, BigInteger units) {
    return least(shape).add(units).compareTo(shape.bound()) > 0;
  }

  /** The least that is used. */
  BigInteger least(Shape shape) {
    return of(shape).least(shape);
  }

  /** The most that is used. */
  BigInteger most(Shape shape) {
    return of(shape).most(shape);
  }

  /** Whether nobody has waited for so long that nothing of it is remembered. */
  boolean isCalm(Shape shape) {
    return of(shape).isCalm();
  }

  /**
   * Somebody may wait for the bucket until then.
   *
   * @param lingersMicros how long the next charge after that still finds those that waited
   * @param calmMicros nothing of it is remembered so long after that, and so long after the next charge
   */
  void awaited(Shape shape, long untilMicros, long lingersMicros, long calmMicros) {
    at(shape).await(untilMicros, lingersMicros, calmMicros);
  }

  private Level of(Shape shape) {
    latest = Math.max(latest, clock.getAsLong());
    return levels.computeIfAbsent(shape.name(), name -> new Level(clock, shape));
  }

  private Level at(Shape shape) {
    Level level = of(shape);
    level.reshape(shape);
    return level;
  }
}
