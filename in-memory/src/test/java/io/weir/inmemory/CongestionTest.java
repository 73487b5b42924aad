package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.kind.Standing;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables of Hedera's congestion multipliers, and the curve of HIP-1313. */
final class CongestionTest {
  private static final long SECOND = 1_000_000;
  private static final Bucket BUCKET = new Bucket("b", Scope.CLUSTER, 1_000_000, 1000);
  private static final Demand ONE = Demand.of(BUCKET);
  private static final long PERCENT = BUCKET.capacityUnits() / 100;

  @ParameterizedTest
  @CsvSource({"4, 1000", "5, 2000", "7, 2000", "50, 3000", "89, 3000", "90, 4000", "95, 4000"})
  void withoutAPeriodAStepCountsAtOnce(long percent, long multiplier) {
    Congestion steps = steps(0, 500, 2000, 1000, 3000, 9000, 4000);
    assertThat(multiplier(steps, Counter.NONE, percent * PERCENT, 0)).isEqualTo(multiplier);
  }

  @Test
  void aStepRisesAfterThePeriodAndFallsAtOnce() {
    Congestion steps = steps(60, 9000, 10_000, 9500, 25_000, 9900, 100_000);
    Counter begun = new CongestionModel(steps)
        .standing(Counter.NONE, asked(SECOND, 91 * PERCENT))
        .taken();
    assertThat(multiplier(steps, begun, 91 * PERCENT, 60 * SECOND)).isEqualTo(1000);
    assertThat(multiplier(steps, begun, 91 * PERCENT, 61 * SECOND)).isEqualTo(10_000);
    Counter risen = new CongestionModel(steps)
        .standing(begun, asked(61 * SECOND, 96 * PERCENT))
        .taken();
    // The lower step continues; the new one begins.
    assertThat(multiplier(steps, risen, 96 * PERCENT, 62 * SECOND)).isEqualTo(10_000);
    assertThat(multiplier(steps, risen, 96 * PERCENT, 121 * SECOND)).isEqualTo(25_000);
    assertThat(multiplier(steps, risen, 94 * PERCENT, 122 * SECOND)).isEqualTo(10_000);
    assertThat(multiplier(steps, risen, 89 * PERCENT, 123 * SECOND)).isEqualTo(1000);
    Counter fallen = new CongestionModel(steps)
        .standing(risen, asked(123 * SECOND, 50 * PERCENT))
        .taken();
    assertThat(multiplier(steps, fallen, 96 * PERCENT, 124 * SECOND)).isEqualTo(1000);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 4000",
    "2, 4000",
    "3, 8000",
    "5, 10000",
    "7, 15000",
    "10, 20000",
    "15, 30000",
    "20, 40000",
    "50, 60000",
    "35, 50000",
    "100, 80000",
    "200, 100000",
    "350, 125000",
    "500, 150000",
    "1000, 200000",
    "10000, 200000",
    "4, 9000",
    "6, 12500"
  })
  void theCurveIsLinearBetweenItsPoints(long basisPoints, long multiplier) {
    List<Point> points = points(
        2, 4000, 3, 8000, 5, 10_000, 7, 15_000, 10, 20_000, 15, 30_000, 20, 40_000, 50, 60_000, 100,
        80_000, 200, 100_000, 500, 150_000, 1000, 200_000, 10_000, 200_000);
    Congestion curve = new Congestion(
        BUCKET, ONE, new Scale(points, OptionalLong.empty()), false, OptionalLong.empty());
    long used = BUCKET.capacityUnits() / 10_000 * basisPoints;
    assertThat(multiplier(curve, Counter.NONE, used, 0)).isEqualTo(multiplier);
  }

  @Test
  void operationsCostAsManyTimesAsMuch() {
    Congestion priced = new Congestion(
        BUCKET, ONE, new Scale(points(5000, 2500), OptionalLong.of(0)), true, OptionalLong.empty());
    assertThat(new CongestionModel(priced).priceMillis(Counter.NONE, asked(0, 60 * PERCENT)))
        .isEqualTo(2500);
    assertThat(CongestionModel.priced(3, 2500)).isEqualTo(8);
    assertThat(CongestionModel.priced(3, 1000)).isEqualTo(3);
    assertThat(CongestionModel.priced(1L << 52, 2500)).isEqualTo((1L << 53) - 1);
  }

  @Test
  void aPlanOfLowPriorityIsShedUntilTheLevelIsBelowTheStep() {
    Congestion shed = new Congestion(
        BUCKET,
        ONE,
        new Scale(points(5000, 2000, 9000, 10_000), OptionalLong.of(0)),
        false,
        OptionalLong.of(10_000));
    assertThat(new CongestionModel(shed)
            .standing(Counter.NONE, asked(0, 80 * PERCENT))
            .standing()
            .hasRoom())
        .isTrue();
    Standing denied =
        new CongestionModel(shed).standing(Counter.NONE, asked(0, 95 * PERCENT)).standing();
    assertThat(denied.hasRoom()).isFalse();
    long later = 95 * PERCENT - denied.waitMicros() * BUCKET.unitsPerMicro();
    assertThat(later).isLessThan(90 * PERCENT).isGreaterThan(89 * PERCENT);
  }

  private static long multiplier(Congestion congestion, Counter stored, long used, long now) {
    return new CongestionModel(congestion)
        .standing(stored, asked(now, used))
        .standing()
        .used();
  }

  private static Congestion steps(long seconds, long... pairs) {
    return new Congestion(
        BUCKET,
        ONE,
        new Scale(points(pairs), OptionalLong.of(seconds * SECOND)),
        false,
        OptionalLong.empty());
  }

  private static List<Point> points(long... pairs) {
    return IntStream.range(0, pairs.length / 2)
        .mapToObj(i -> new Point(pairs[2 * i], pairs[2 * i + 1]))
        .toList();
  }

  private static ModelRequest asked(long now, long used) {
    return new ModelRequest(now, 1, 0, bucket -> used);
  }
}
