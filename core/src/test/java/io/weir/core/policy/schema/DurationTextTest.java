package io.weir.core.policy.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "1500ms, 1500, 1500ms",
    "0m, 0, 0s",
    "60s, 60000, 1m",
    "90m, 5400000, 90m",
    "24h, 86400000, 1d",
    "36h, 129600000, 36h",
    "30d, 2592000000, 30d",
    "999999999d, 86399999913600000, 999999999d"
  })
  void aDurationIsReadAndWrittenInItsLargestUnit(String text, long millis, String written) {
    assertThat(DurationText.parse(text)).contains(Duration.ofMillis(millis));
    assertThat(DurationText.of(Duration.ofMillis(millis))).isEqualTo(written);
    assertThat(DurationText.parse(written)).contains(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "h", "5 h", "1.5h", "-1d", "5H", "5w", "1h30m", "1234567890s"})
  void anyOtherFormIsRefused(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }
}
