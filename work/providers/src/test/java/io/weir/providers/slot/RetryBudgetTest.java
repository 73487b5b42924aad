package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RetryBudgetTest {
  private static final long NOW = 123_456_789_012_345L;
  private static final OptionalInt FIFTH = OptionalInt.of(20);

  private final RetryBudget budget = new RetryBudget(NOW);

  private int spent(OptionalInt percent, long now) {
    int spent = 0;
    while (spent < 1000 && budget.spend(percent, now)) {
      spent++;
    }
    return spent;
  }

  @Test
  void aFewRequestsGetAllTheirAttempts() {
    assertThat(spent(FIFTH, NOW)).isEqualTo(20);
    assertThat(spent(FIFTH, NOW + TimeUnit.SECONDS.toNanos(1))).isEqualTo(10);
    assertThat(spent(FIFTH, NOW + TimeUnit.HOURS.toNanos(1))).as("not more").isEqualTo(20);
  }

  @Test
  void manyRequestsEarnTheirShare() {
    spent(FIFTH, NOW);
    for (int i = 0; i < 100; i++) {
      budget.earn(FIFTH);
    }
    assertThat(spent(FIFTH, NOW)).isEqualTo(20);
    for (int i = 0; i < 100_000; i++) {
      budget.earn(FIFTH);
    }
    assertThat(spent(FIFTH, NOW)).as("no storm after a quiet hour").isEqualTo(100);
  }

  @Test
  void withoutABudgetAllAreSentAgainAndWithNoneNothing() {
    assertThat(spent(OptionalInt.empty(), NOW)).isEqualTo(1000);
    assertThat(spent(OptionalInt.of(0), NOW)).isZero();
  }

  @Test
  void aClockThatStandsStillOrGoesBackGivesNothing() {
    spent(FIFTH, NOW);
    assertThat(spent(FIFTH, NOW - 1)).isZero();
  }
}
