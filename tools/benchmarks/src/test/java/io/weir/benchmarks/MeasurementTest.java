package io.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class MeasurementTest {
  @Test
  void theMedianIsTheMiddleOrTheMeanOfTheTwoThere() {
    assertThat(of(5, 1, 9).median(Sample::perSecond)).isEqualTo(5);
    assertThat(of(5, 1, 9, 7).median(Sample::perSecond)).isEqualTo(6);
    assertThat(of(3).median(Sample::perSecond)).isEqualTo(3);
  }

  private static Measurement of(double... perSecond) {
    return new Measurement(
        "one",
        1,
        1,
        false,
        Arrays.stream(perSecond).mapToObj(n -> new Sample(n, 0, 0, 0, 0, 0)).toList());
  }
}
