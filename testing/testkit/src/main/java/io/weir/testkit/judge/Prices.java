package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.kinds;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import java.math.BigInteger;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Judges the multiplier of a congested bucket by its level, and computes what a charge costs at it. For charges with one
 * congestion at most.
 */
final class Prices {
  private static final BigInteger WHOLE = BigInteger.valueOf(10_000);
  /** No capacity and no quota holds so many operations. */
  private static final long UNBOUNDED = 9_000_000_000_000L;

  private final RateJudge rates;

  Prices(RateJudge rates) {
    this.rates = rates;
  }

  /**
   * An answer showed a multiplier: that of the level, or for steps one that is reached only after a period, a lower one.
   */
  void shown(Charge charge, long millis) {
    for (Congestion congestion : kinds(charge, Congestion.class)) {
      RateJudge.Shape shape = shape(charge, congestion.demand());
      long most = at(congestion, rates.most(shape).min(shape.bound()));
      long least = congestion.scale().periodMicros().orElse(0) > 0
          ? Congestion.ONE
          : at(congestion, rates.least(shape).min(shape.bound()));
      require(
          millis >= least && millis <= most,
          shape,
          "has the multiplier",
          millis,
          "in thousandths, not one from",
          least,
          "to",
          most);
    }
  }

  /** Whether a charge is denied at this multiplier. */
  static boolean isShed(Charge charge, long millis) {
    return kinds(charge, Congestion.class).stream()
        .anyMatch(
            it -> it.shedAtMillis().isPresent() && millis >= it.shedAtMillis().getAsLong());
  }

  /** The price of an operation: at most what leaves a cost of so many possible, if it is. */
  static long price(Charge charge, long operations, long millis) {
    boolean isPriced = kinds(charge, Congestion.class).stream().anyMatch(Congestion::isPrice);
    if (!isPriced) {
      return Congestion.ONE;
    }
    long most = mostAtOnce(charge);
    return operations > most || most > UNBOUNDED
        ? millis
        : Math.min(millis, Math.max(Congestion.ONE, most * Congestion.ONE / operations));
  }

  /** Operations at a price, rounded up. */
  static long at(long price, long operations) {
    return Math.floorDiv(
        Math.multiplyExact(operations, price) + Congestion.ONE - 1, Congestion.ONE);
  }

  private static long at(Congestion congestion, BigInteger level) {
    BigInteger capacity = big(congestion.bucket().capacityUnits());
    List<Point> points = congestion.scale().points();
    long multiplier = congestion.isCurve() ? points.get(0).multiplierMillis() : Congestion.ONE;
    BigInteger share = level.multiply(WHOLE).divide(capacity);
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i);
      BigInteger part = big(point.basisPoints());
      if (congestion.isCurve() ? share.compareTo(part) >= 0 : reaches(level, capacity, part)) {
        multiplier = congestion.isCurve() && i + 1 < points.size()
            ? between(point, points.get(i + 1), share.longValueExact())
            : point.multiplierMillis();
      }
    }
    return multiplier;
  }

  private static boolean reaches(BigInteger level, BigInteger capacity, BigInteger part) {
    return level.multiply(WHOLE).compareTo(capacity.multiply(part)) >= 0;
  }

  private static long between(Point below, Point above, long share) {
    if (share >= above.basisPoints()) {
      return above.multiplierMillis();
    }
    long rise = above.multiplierMillis() - below.multiplierMillis();
    return below.multiplierMillis()
        + rise * (share - below.basisPoints()) / (above.basisPoints() - below.basisPoints());
  }

  private static long mostAtOnce(Charge charge) {
    return Math.min(
        most(
            charge.demands(),
            Demand::overflow,
            demand -> demand.perRequest()
                ? Long.MAX_VALUE
                : demand.operationsIn(demand.bucket().capacityUnits())),
        most(
            charge.extras().demands(),
            KindDemand::overflow,
            kind -> kind instanceof Quota quota && !quota.isSoft() && !quota.countsRequests()
                ? quota.limit()
                : Long.MAX_VALUE));
  }

  // The larger one of a limit and its overflow.
  private static <T> long most(
      List<T> limits, Predicate<T> isOverflow, ToLongFunction<T> mostAtOnce) {
    long most = Long.MAX_VALUE;
    for (int i = 0; i < limits.size(); i++) {
      if (!isOverflow.test(limits.get(i))) {
        boolean isPair = i + 1 < limits.size() && isOverflow.test(limits.get(i + 1));
        long own = mostAtOnce.applyAsLong(limits.get(i));
        most =
            Math.min(most, isPair ? Math.max(own, mostAtOnce.applyAsLong(limits.get(i + 1))) : own);
      }
    }
    return most;
  }
}
