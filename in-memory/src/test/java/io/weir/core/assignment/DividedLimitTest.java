package io.weir.core.assignment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DividedLimitTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1, 86400",
    "7, 60",
    "1000, 1",
    "65537, 3600",
    "4294967295, 1",
    "4294967295, 86400"
  })
  void partsOfTheWholeAreTogetherAtMostTheLimit(long requests, long seconds) {
    DividedLimit limit = new DividedLimit(requests, seconds);
    Random random = new Random(requests + seconds);
    long whole = limit.tokensPerFill(Assignment.WHOLE);
    assertThat((double) whole / limit.fillSeconds())
        .isLessThanOrEqualTo((double) requests / seconds);
    assertThat((double) whole / limit.fillSeconds() * seconds).isGreaterThan(requests * 0.99999);
    assertThat(whole).isLessThan(1L << 32);
    assertThat(limit.tokens(Assignment.WHOLE)).isEqualTo(requests);
    assertThat(limit.tokens(limit.leastBurst())).isPositive();
    for (int i = 0; i < 1000; i++) {
      long part = 1L + random.nextInt(65_535);
      long rest = Assignment.WHOLE - part;
      assertThat(limit.tokens(part) + limit.tokens(rest)).isLessThanOrEqualTo(requests);
      assertThat(limit.tokensPerFill(part) + limit.tokensPerFill(rest)).isLessThanOrEqualTo(whole);
      // Envoy compares this number alone, and a rate of 0 is none.
      assertThat(limit.tokensPerFill(part)).isGreaterThan(limit.tokensPerFill(part - 1));
    }
  }

  @Test
  void whatWasUsedIsBounded() {
    DividedLimit limit = new DividedLimit(10, 60);
    assertThat(limit.used(0)).isZero();
    assertThat(limit.used(10)).isEqualTo(60_000_000 * Assignment.WHOLE);
    assertThat(limit.used(Long.MAX_VALUE)).isEqualTo(UsageReport.MOST_USED);
  }

  @Test
  void boundsAreChecked() {
    assertThatThrownBy(() -> new DividedLimit(0, 1)).hasMessageContaining("requests: 0");
    assertThatThrownBy(() -> new DividedLimit(1L << 32, 1)).hasMessageContaining("requests");
    assertThatThrownBy(() -> new DividedLimit(1, 86_401)).hasMessageContaining("seconds: 86401");
  }
}
