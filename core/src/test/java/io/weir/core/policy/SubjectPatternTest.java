package io.weir.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns of names: a star stands for any characters. */
final class SubjectPatternTest {
  private static SubjectPattern pattern(String text) {
    return SubjectPattern.parse(text).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "user:*,   user:4711,   true",
    "user:*,   user:,       true",
    "user:*,   users,       false",
    "*,        anything,    true",
    "*@a.org,  joe@a.org,   true",
    "*@a.org,  joe@a.org.b, false",
    "a*b*c,    aXbYbZc,     true",
    "a*b*c,    aXcYb,       false",
    "a**b,     ab,          true",
    "exact,    exact,       true",
    "exact,    exactly,     false",
  })
  void aStarStandsForAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(pattern(pattern).matches(name)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "*,       user:*,    true",
    "user:*,  user:a*,   true",
    "user:*,  user:*,    true",
    "user:a*, user:*,    false",
    "*:x,     user:*:x,  true",
    "a*,      *a,        false",
  })
  void anEarlierPatternMayCoverALaterOne(String earlier, String later, boolean covers) {
    assertThat(pattern(earlier).covers(pattern(later))).isEqualTo(covers);
  }

  @Test
  void noPatternTakesLong() {
    SubjectPattern many = pattern("a*".repeat(60) + "b");
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(5), () -> assertThat(many.matches("a".repeat(128))).isFalse());
  }

  @Test
  void aPatternHasVisibleCharacters() {
    assertThat(SubjectPattern.parse("a b")).isEmpty();
    assertThat(SubjectPattern.parse("")).isEmpty();
    assertThat(SubjectPattern.parse("x".repeat(129))).isEmpty();
  }
}
