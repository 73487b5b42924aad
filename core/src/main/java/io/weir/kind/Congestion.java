package io.weir.kind;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.bucket.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * How full a bucket is, as a multiplier in thousandths, one for all who ask the bucket. {@code lua/lib/congestion.lua} says
 * the same to Redis.
 *
 * <p>By steps, as Hedera's congestion multipliers are: a step is reached while the bucket holds its share of the capacity,
 * counts once it was reached for the whole period, and ends at once. By a curve, as of HIP-1313: piecewise linear between
 * points, without a period.
 *
 * @param bucket whose level it is
 * @param demand what the operation takes of the bucket
 * @param scale the steps or the curve
 * @param isPrice whether operations cost as many times as much
 * @param shedAtMillis the multiplier from which on the operation is denied
 */
public record Congestion(
    Bucket bucket, Demand demand, Scale scale, boolean isPrice, OptionalLong shedAtMillis)
    implements KindDemand {

  /** A multiplier of one. */
  public static final long ONE = 1000;

  /** The most steps or points. */
  public static final int MOST_POINTS = 32;

  private static final long MAX_COST = (1L << 53) - 1;
  private static final long MOST_PRICED = 9_000_000_000_000L;
  private static final long HUNDRED_PERCENT = 10_000;
  // Capacities are whole thousands of units, see Bucket.
  private static final long PER_THOUSANDTH = HUNDRED_PERCENT / 1000;

  /**
   * One step or point.
   *
   * @param basisPoints of the capacity, 0 to 10,000
   * @param multiplierMillis in thousandths, at least 1000
   */
  public record Point(long basisPoints, long multiplierMillis) {}

  /**
   * How a level becomes a multiplier.
   *
   * @param points from the lowest to the highest
   * @param periodMicros of steps, how long one must be reached; nothing for a curve
   */
  public record Scale(List<Point> points, OptionalLong periodMicros) {
    public Scale {
      points = List.copyOf(points);
    }
  }

  // Of steps: since when each is reached, 0 where it is not. Of a curve: the multiplier.
  private record State(List<Long> starts, long multiplier) {}

  @Override
  public Kind kind() {
    return Kind.CONGESTION;
  }

  @Override
  public String name() {
    return "congestion:" + bucket.name();
  }

  @Override
  public Scope scope() {
    return bucket.scope();
  }

  @Override
  public long quota() {
    return ONE;
  }

  @Override
  public Standing standing(Counter stored, Asked asked) {
    long used = asked.levels().usedUnits(bucket.name());
    State before = state(stored, used, asked.nowMicros());
    long after = Math.min(bucket.capacityUnits(), used + demand.units(asked.cost()));
    State admitted = state(counter(before, asked.nowMicros()), after, asked.nowMicros());
    boolean isShed = shedAtMillis.isPresent() && before.multiplier >= shedAtMillis.getAsLong();
    return new Standing(
        isShed ? calmAfter(used) : Standing.ROOM,
        before.multiplier,
        0,
        before.multiplier > ONE,
        counter(admitted, asked.nowMicros()),
        counter(before, asked.nowMicros()));
  }

  @Override
  public long priceMillis(Counter stored, Asked asked) {
    long used = asked.levels().usedUnits(bucket.name());
    return isPrice ? state(stored, used, asked.nowMicros()).multiplier : ONE;
  }

  /** A price that makes no request impossible: the cost at it is at most what the limits ever hold. */
  public static long bounded(long priceMillis, long cost, long mostAtOnce) {
    return mostAtOnce > MOST_PRICED || cost > mostAtOnce
        ? priceMillis
        : Math.min(priceMillis, Math.max(ONE, mostAtOnce * ONE / cost));
  }

  /** A cost at a price in thousandths, rounded up; at most what a charge can name. */
  public static long priced(long cost, long priceMillis) {
    long times = priceMillis / ONE;
    if (priceMillis == ONE) {
      return cost;
    }
    return cost > MOST_PRICED || cost > MAX_COST / (times + 1)
        ? MAX_COST
        : cost * times + ceilDiv(cost * (priceMillis % ONE), ONE);
  }

  @Override
  public String words(long nowMicros) {
    String points = scale.points().stream()
        .map(point ->
            (isCurve() ? point.basisPoints() : cutoff(point)) + ":" + point.multiplierMillis())
        .collect(Collectors.joining(","));
    return "%s %d %d %d %d %d %d %d %s"
        .formatted(
            bucket.name(),
            bucket.unitsPerMicro(),
            bucket.capacityUnits(),
            demand.unitsPerOperation(),
            demand.perRequest() ? 1 : 0,
            isPrice ? 1 : 0,
            shedAtMillis.orElse(0),
            scale.periodMicros().orElse(-1),
            points);
  }

  private boolean isCurve() {
    return scale.periodMicros().isEmpty();
  }

  private State state(Counter stored, long usedUnits, long nowMicros) {
    return isCurve() ? new State(List.of(), curve(usedUnits)) : steps(stored, usedUnits, nowMicros);
  }

  // Other steps than before begin anew; a start that is ahead of the clock is of now.
  private State steps(Counter stored, long usedUnits, long nowMicros) {
    List<Point> points = scale.points();
    long period = scale.periodMicros().orElse(0);
    boolean isKnown = stored.numbers().size() == points.size() + 1;
    List<Long> starts = new ArrayList<>();
    long multiplier = ONE;
    for (int i = 0; i < points.size(); i++) {
      long known = isKnown ? stored.number(i + 1) : 0;
      long start = known == 0 ? nowMicros : Math.min(known, nowMicros);
      boolean isReached = usedUnits >= cutoff(points.get(i));
      starts.add(isReached ? start : 0);
      if (isReached && nowMicros - start >= period) {
        multiplier = points.get(i).multiplierMillis();
      }
    }
    return new State(starts, multiplier);
  }

  private long curve(long usedUnits) {
    List<Point> points = scale.points();
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

  // When the level is below the first point that sheds, if nobody else comes.
  private long calmAfter(long usedUnits) {
    long lowest = scale.points().stream()
        .filter(point -> point.multiplierMillis() >= shedAtMillis.orElse(0))
        .mapToLong(this::cutoff)
        .findFirst()
        .orElse(0);
    return ceilDiv(Math.max(1, usedUnits - lowest + 1), bucket.unitsPerMicro());
  }

  // How full it is, rounded down. In two steps: the product of the whole would pass 2⁵³.
  private long basisPoints(long usedUnits) {
    long thousandth = bucket.capacityUnits() / 1000;
    return usedUnits / thousandth * PER_THOUSANDTH
        + usedUnits % thousandth * PER_THOUSANDTH / thousandth;
  }

  // The first level that is so full, in two steps likewise.
  private long cutoff(Point point) {
    long thousandth = bucket.capacityUnits() / 1000;
    return thousandth * (point.basisPoints() / PER_THOUSANDTH)
        + ceilDiv(thousandth * (point.basisPoints() % PER_THOUSANDTH), PER_THOUSANDTH);
  }

  private Counter counter(State state, long nowMicros) {
    boolean isCalm = state.starts.stream().allMatch(start -> start == 0);
    if (isCalm) {
      return Counter.NONE;
    }
    long[] starts = state.starts.stream().mapToLong(Long::longValue).toArray();
    long empty = ceilDiv(bucket.capacityUnits(), bucket.unitsPerMicro());
    return Counter.of(nowMicros + empty, starts);
  }

  private static long ceilDiv(long dividend, long divisor) {
    return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
  }
}
