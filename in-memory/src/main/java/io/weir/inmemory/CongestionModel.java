package io.weir.inmemory;

import io.weir.core.bucket.LeakyBucket;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The arithmetic of congestion. */
record CongestionModel(Congestion congestion) implements KindModel {
  private static final long MAX_COST = (1L << 53) - 1;
  private static final long MOST_PRICED = 9_000_000_000_000L;
  private static final long HUNDRED_PERCENT = 10_000;
  private static final long PER_THOUSANDTH = HUNDRED_PERCENT / 1000;

  // For steps: the time since which each is reached, 0 if it is not. For a curve: the multiplier.
  private record State(List<Long> starts, long multiplier) {}

  @Override
  public LimitStanding standing(Counter stored, ModelRequest asked) {
    long used = asked.levels().usedUnits(congestion.bucket().name());
    State before = state(stored, used, asked.nowMicros());
    long after = Math.min(
        congestion.bucket().capacityUnits(), used + congestion.demand().units(asked.cost()));
    State admitted = state(counter(before, asked.nowMicros()), after, asked.nowMicros());
    boolean isShed = congestion.shedAtMillis().isPresent()
        && before.multiplier >= congestion.shedAtMillis().getAsLong();
    Standing standing = new Standing(
        isShed ? calmAfter(used) : Standing.ROOM,
        before.multiplier,
        0,
        before.multiplier > Congestion.ONE,
        true);
    return new LimitStanding(
        standing, counter(admitted, asked.nowMicros()), counter(before, asked.nowMicros()));
  }

  @Override
  public long priceMillis(Counter stored, ModelRequest asked) {
    long used = asked.levels().usedUnits(congestion.bucket().name());
    return congestion.isPrice()
        ? state(stored, used, asked.nowMicros()).multiplier
        : Congestion.ONE;
  }

  /**
   * Bounds a price so that it makes no request impossible: the cost at this price is at most the capacity of the
   * limits.
   */
  public static long bounded(long priceMillis, long cost, long mostAtOnce) {
    return mostAtOnce > MOST_PRICED || cost > mostAtOnce
        ? priceMillis
        : Math.min(priceMillis, Math.max(Congestion.ONE, mostAtOnce * Congestion.ONE / cost));
  }

  /** The cost at a price in thousandths, rounded up; at most the largest cost of a charge. */
  public static long priced(long cost, long priceMillis) {
    long times = priceMillis / Congestion.ONE;
    if (priceMillis == Congestion.ONE) {
      return cost;
    }
    return cost > MOST_PRICED || cost > MAX_COST / (times + 1)
        ? MAX_COST
        : cost * times + LeakyBucket.ceilDiv(cost * (priceMillis % Congestion.ONE), Congestion.ONE);
  }

  /** The highest cost that is at most this at a price in thousandths. */
  public static long unpriced(long cost, long priceMillis) {
    long highest =
        cost / priceMillis * Congestion.ONE + cost % priceMillis * Congestion.ONE / priceMillis;
    return priceMillis == Congestion.ONE
        ? highest
        : Math.min(highest, Math.min(MOST_PRICED, MAX_COST / (priceMillis / Congestion.ONE + 1)));
  }

  private State state(Counter stored, long usedUnits, long nowMicros) {
    return congestion.isCurve()
        ? new State(List.of(), curve(usedUnits))
        : steps(stored, usedUnits, nowMicros);
  }

  // After a change of steps all begin again; a start ahead of the clock is set to now.
  private State steps(Counter stored, long usedUnits, long nowMicros) {
    List<Point> points = congestion.scale().points();
    long period = congestion.scale().periodMicros().orElse(0);
    boolean isKnown = stored.numbers().size() == points.size() + 1;
    List<Long> starts = new ArrayList<>();
    long multiplier = Congestion.ONE;
    for (int i = 0; i < points.size(); i++) {
      long known = isKnown ? stored.number(i + 1) : 0;
      long start = known == 0 ? nowMicros : Math.min(known, nowMicros);
      boolean isReached = usedUnits >= congestion.cutoff(points.get(i));
      starts.add(isReached ? start : 0);
      if (isReached && nowMicros - start >= period) {
        multiplier = points.get(i).multiplierMillis();
      }
    }
    return new State(starts, multiplier);
  }

  private long curve(long usedUnits) {
    List<Point> points = congestion.scale().points();
    long at = Math.min(HUNDRED_PERCENT, basisPoints(usedUnits));
    Optional<Point> below = Optional.empty();
    for (Point point : points) {
      if (point.basisPoints() > at) {
        return below.map(before -> between(before, point, at)).orElse(point.multiplierMillis());
      }
      below = Optional.of(point);
    }
    return points.get(points.size() - 1).multiplierMillis();
  }

  private static long between(Point below, Point above, long at) {
    long rise = above.multiplierMillis() - below.multiplierMillis();
    long run = above.basisPoints() - below.basisPoints();
    return below.multiplierMillis() + rise * (at - below.basisPoints()) / run;
  }

  // The time when the level is below the first point that sheds, if no other caller comes.
  private long calmAfter(long usedUnits) {
    long lowest = congestion.scale().points().stream()
        .filter(point -> point.multiplierMillis() >= congestion.shedAtMillis().orElse(0))
        .mapToLong(congestion::cutoff)
        .findFirst()
        .orElse(0);
    return LeakyBucket.ceilDiv(
        Math.max(1, usedUnits - lowest + 1), congestion.bucket().unitsPerMicro());
  }

  // The level in hundredths of a percent of the capacity, rounded down. In two parts: the whole
  // product would pass 2⁵³.
  private long basisPoints(long usedUnits) {
    long thousandth = congestion.bucket().capacityUnits() / 1000;
    return usedUnits / thousandth * PER_THOUSANDTH
        + usedUnits % thousandth * PER_THOUSANDTH / thousandth;
  }

  private Counter counter(State state, long nowMicros) {
    boolean isCalm = state.starts.stream().allMatch(start -> start == 0);
    if (isCalm) {
      return Counter.NONE;
    }
    long[] starts = state.starts.stream().mapToLong(Long::longValue).toArray();
    long empty = LeakyBucket.ceilDiv(
        congestion.bucket().capacityUnits(), congestion.bucket().unitsPerMicro());
    return Counter.of(nowMicros + empty, starts);
  }
}
