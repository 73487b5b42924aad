package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AgoTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @ParameterizedTest
  @CsvSource({
    "0, 0 s",
    "59, 59 s",
    "60, 1 min 0 s",
    "599, 9 min 59 s",
    "600, 10 min",
    "3599, 59 min",
    "3600, 1 h",
    "172799, 47 h",
    "172800, 2 d",
    "-5, 0 s"
  })
  void aTimeHasItsLargestUnitAndBelowTenMinutesSeconds(long seconds, String words) {
    assertThat(Ago.length(Duration.ofSeconds(seconds))).isEqualTo(words);
    assertThat(Ago.since(NOW.minusSeconds(seconds).toString(), NOW)).isEqualTo(words);
  }

  @Test
  void anInstantIsBeforeOrAfterNow() {
    assertThat(Ago.words(NOW.minusSeconds(61).toString(), NOW)).isEqualTo("1 min 1 s ago");
    assertThat(Ago.words(NOW.plusSeconds(7200).toString(), NOW)).isEqualTo("in 2 h");
    assertThat(Ago.words("", NOW)).isEmpty();
  }

  @Test
  void anAwaitedInstantThatHasPassedIsNow() {
    assertThat(Ago.ahead(NOW.plusSeconds(7200).toString(), NOW)).isEqualTo("in 2 h");
    assertThat(Ago.ahead(NOW.toString(), NOW)).isEqualTo("now");
    assertThat(Ago.ahead(NOW.minusMillis(5).toString(), NOW)).isEqualTo("now");
    assertThat(Ago.ahead("", NOW)).isEqualTo("now");
  }

  @ParameterizedTest
  @CsvSource({
    "1, in 0.1 s",
    "915, in 1.0 s",
    "59001, in 1 min 0 s",
    "899000, in 15 min",
    "7199000, in 2 h",
    "5000000, in 1 h",
    "604799000, in 7 d"
  })
  void anInstantAheadIsNeverNowAndRoundedToItsUnit(long millis, String words) {
    assertThat(Ago.words(NOW.plusMillis(millis).toString(), NOW)).isEqualTo(words);
  }

  @Test
  void instantsOfASentenceBecomeTimesFromNow() {
    assertThat(Ago.sentence(
            "9 are kept until 2026-01-02T03:04:06.641562Z, a new one may pass at "
                + "2026-01-02T03:04:05.641Z.",
            NOW))
        .isEqualTo("9 are kept for 1.7 s, a new one may pass in 0.7 s.");
    assertThat(Ago.sentence("kept until 2026-01-02T03:04:00Z", NOW))
        .isEqualTo("kept until 5 s ago");
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.1 s",
    "100, 0.1 s",
    "101, 0.2 s",
    "9901, 10.0 s",
    "10001, 11 s",
    "61000, 1 min 1 s"
  })
  void aWaitIsRoundedUp(long millis, String words) {
    assertThat(Ago.precisely(millis)).isEqualTo(words);
  }
}
