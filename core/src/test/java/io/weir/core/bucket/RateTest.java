package io.weir.core.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RateTest {
  @Test
  void unitsAreAsCoarseAsTheRateAllows() {
    assertThat(Rate.ofMilliOpsPerSec(100_000)).hasToString("1/10000");
    assertThat(Rate.ofMilliOpsPerSec(15_000_000_000L)).hasToString("15/1");
    assertThat(Rate.ofMilliOpsPerSec(1)).hasToString("1/1000000000");
    assertThat(new Rate(60, 60_000_000)).isEqualTo(Rate.ofMilliOpsPerSec(1000));
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-1, 1", "1, 0", "1, -1"})
  void aRateIsAboveZero(long unitsPerMicro, long unitsPerOperation) {
    assertThatThrownBy(() -> new Rate(unitsPerMicro, unitsPerOperation))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected: > 0");
  }

  @Test
  void aPartIsExactWhereItCanBeCounted() {
    Rate rate = Rate.ofMilliOpsPerSec(1);
    assertThat(rate.part(33, 1000)).isEqualTo(new Rate(33, 100_000_000_000L));
    assertThat(Rate.ofMilliOpsPerSec(100_000).part(20, 1000))
        .isEqualTo(Rate.ofMilliOpsPerSec(20_000));
  }

  @ParameterizedTest
  @CsvSource({
    "9007000000, 1000, 33",
    "284, 31622400000, 1",
    "3, 31622400000, 99",
    "9007000000000, 1, 67",
    "4503499999999, 2, 51"
  })
  void partsAreCountableAndNeverMoreThanTheWhole(long units, long burstMillis, int percent) {
    Rate whole = new Rate(units, 999_983);
    Rate part = whole.part(percent, burstMillis);
    assertThat(Bucket.isPrecise(BigInteger.valueOf(part.unitsPerMicro()), burstMillis))
        .isTrue();
    double share = part.opsPerSec() / whole.opsPerSec();
    assertThat(share).isBetween(percent / 100.0 * 0.99, percent / 100.0 * (1 + 1e-12));
  }

  @ParameterizedTest
  @CsvSource({
    "30, 60000000, 32000",
    "1000000001, 31536000000000, 31536000000",
    "4294967295, 1000000, 1000",
    "999999999, 1000000, 9008",
    "1000000000, 31622400000000, 1"
  })
  void aCountableRateIsExactOrSlowerByLessThanAMillionth(
      long operations, long micros, long burstMillis) {
    Rate rate = Rate.countable(operations, micros, burstMillis);
    Rate exact = new Rate(operations, micros);
    BigInteger units = BigInteger.valueOf(rate.unitsPerMicro());
    assertThat(Bucket.isPrecise(units, burstMillis)).isTrue();
    assertThat(exact.isBelow(rate)).isFalse();
    assertThat(rate.opsPerSec() / exact.opsPerSec()).isGreaterThan(1 - 1e-6);
    if (Bucket.isPrecise(BigInteger.valueOf(exact.unitsPerMicro()), burstMillis)) {
      assertThat(rate).isEqualTo(exact);
    }
  }

  @Test
  void anOperationTakesAsLongAsItsRateSaysRoundedUp() {
    assertThat(new Rate(15, 1).microsPerOperation()).isEqualTo(1);
    assertThat(new Rate(100, 60_000_000).microsPerOperation()).isEqualTo(600_000);
    assertThat(new Rate(1, 3).isBelow(new Rate(1, 2))).isTrue();
    assertThat(new Rate(2, 4).isBelow(new Rate(1, 2))).isFalse();
  }
}
