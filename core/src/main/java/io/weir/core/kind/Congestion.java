package io.weir.core.kind;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * The level of a bucket as a multiplier in thousandths, the same for all requests to the bucket. {@code
 * lua/lib/kinds/congestion.lua} computes it.
 *
 * <p>By steps, like Hedera's congestion multipliers: a step is reached while the bucket holds its share of the
 * capacity, counts after it was reached for the whole period, and ends at once. By a curve, like HIP-1313: piecewise
 * linear between points, without a period.
 *
 * @param bucket the bucket whose level counts
 * @param demand the demand of the operation on the bucket
 * @param scale the steps or the curve
 * @param isPrice whether the cost of operations is multiplied
 * @param shedAtMillis the multiplier from which on the operation is denied
 */
public record Congestion(
    Bucket bucket, Demand demand, Scale scale, boolean isPrice, OptionalLong shedAtMillis)
    implements KindDemand {

  /** A multiplier of one. */
  public static final long ONE = 1000;

  /** The largest number of steps or points. */
  public static final int MOST_POINTS = 32;

  // Capacities are whole thousands of units, see Bucket.
  private static final long PER_THOUSANDTH = 10;

  /**
   * One step or point.
   *
   * @param basisPoints of the capacity, 0 to 10,000
   * @param multiplierMillis in thousandths, at least 1000
   */
  public record Point(long basisPoints, long multiplierMillis) {}

  /**
   * The mapping from levels to multipliers.
   *
   * @param points from the lowest to the highest
   * @param periodMicros for steps, how long a step must be reached; empty for a curve
   */
  public record Scale(List<Point> points, OptionalLong periodMicros) {
    public Scale {
      points = List.copyOf(points);
    }
  }

  @Override
  public Kind kind() {
    return Kind.CONGESTION;
  }

  @Override
  public char letter() {
    return 'c';
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

  /** Whether it is a curve, so that the level counts at once. */
  public boolean isCurve() {
    return scale.periodMicros().isEmpty();
  }

  /**
   * The lowest level, in units, at which a point is reached; computed in two parts, because the whole product would
   * pass 2⁵³.
   */
  public long cutoff(Point point) {
    long thousandth = bucket.capacityUnits() / 1000;
    return thousandth * (point.basisPoints() / PER_THOUSANDTH)
        + LeakyBucket.ceilDiv(thousandth * (point.basisPoints() % PER_THOUSANDTH), PER_THOUSANDTH);
  }
}
