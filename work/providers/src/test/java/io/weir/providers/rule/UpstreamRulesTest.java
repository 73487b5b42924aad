package io.weir.providers.rule;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.RetryRule;
import io.weir.core.policy.RetryRule.Backoff;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tables of SMG's retries. */
final class UpstreamRulesTest {
  private static final double MIDDLE = 0.5;

  private static List<Long> waits(RetryRule rule, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> rule.backoff().waitMillis(i, MIDDLE))
        .toList();
  }

  @Test
  void waitsGrowAsInTheTableUpToTheLongest() {
    assertThat(waits(RetryRule.DEFAULT, 17))
        .containsExactly(
            50L, 75L, 112L, 168L, 253L, 379L, 569L, 854L, 1281L, 1922L, 2883L, 4324L, 6487L, 9730L,
            14_596L, 21_894L, 30_000L);
    RetryRule capped = new RetryRule(5, new Backoff(100, 2000, 250, 0), OptionalInt.of(20), 0, 0);
    assertThat(waits(capped, 4)).containsExactly(100L, 200L, 250L, 250L);
  }

  @Test
  void theJitterStaysBelowTheLongestWait() {
    RetryRule rule = new RetryRule(5, new Backoff(400, 1000, 10_000, 50), OptionalInt.of(20), 0, 0);
    assertThat(rule.backoff().waitMillis(0, 0)).isEqualTo(200);
    assertThat(rule.backoff().waitMillis(0, 1)).isEqualTo(600);
    assertThat(RetryRule.DEFAULT.backoff().waitMillis(30, 1)).isEqualTo(30_000);
  }

  @Test
  void presetsAreThoseOfTheirSources() {
    RetryRule storj = requireNonNull(RetryRule.PRESETS.get("storj"));
    assertThat(waits(storj, storj.attempts() - 1))
        .containsExactly(100L, 200L, 400L, 800L, 1600L, 3000L);
    RetryRule smg = requireNonNull(RetryRule.PRESETS.get("smg"));
    assertThat(smg.attempts()).as("five retries").isEqualTo(6);
    assertThat(smg.budgetPercent()).isEmpty();
    RetryRule plain = new RetryRule(6, new Backoff(50, 1500, 30_000, 0), OptionalInt.empty(), 0, 0);
    assertThat(waits(plain, 5)).containsExactly(50L, 75L, 112L, 168L, 253L);
  }

  @Test
  void boundsOfAnAdaptiveWindowAreMadeToFit() {
    assertThat(new AdaptiveRule(200_000, 0, 0, 0)).isEqualTo(new AdaptiveRule(200_000, 1, 1, 1));
    assertThat(new AdaptiveRule(200_000, 3, 5, 10).initial()).isEqualTo(5);
    assertThat(new AdaptiveRule(200_000, 3, 5, 1).initial()).isEqualTo(3);
  }
}
