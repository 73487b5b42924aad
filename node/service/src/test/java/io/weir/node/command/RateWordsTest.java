package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RateWordsTest {
  private static final double MINUTE = 60;

  @ParameterizedTest
  @CsvSource({
    "30, 90, 30 per min, 90 per min",
    "90, 30, 90 per min, 30 per min",
    "60, 120, 1 per s, 2 per s",
    "0.5, 600, 30 per h, 36000 per h",
    "0, 30, 0 per min, 30 per min",
    "0, 0, 0 per s, 0 per s"
  })
  void twoRatesAreInTheUnitOfTheSlowerOne(
      double before, double after, String first, String second) {
    assertThat(RateWords.of(before / MINUTE, after / MINUTE)).isEqualTo(first);
    assertThat(RateWords.of(after / MINUTE, before / MINUTE)).isEqualTo(second);
  }

  @ParameterizedTest
  @CsvSource({"300, 5 per s", "30, 30 per min", "0.05, 3 per h"})
  void aRateIsPerTheUnitThatPeopleRead(double perMinute, String words) {
    assertThat(RateWords.of(perMinute / MINUTE)).isEqualTo(words);
  }
}
