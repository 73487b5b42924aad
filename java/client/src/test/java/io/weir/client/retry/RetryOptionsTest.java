package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Backoff, jitter, and the bounds of options. */
final class RetryOptionsTest {
  private static final double ALMOST_ONE = Math.nextDown(1.0);

  @Test
  void theDefaultsGrowByHalf() {
    RetryOptions plain = RetryOptions.DEFAULT.with(o -> o.jitter(Jitter.NONE));
    assertThat(IntStream.range(0, 5).mapToLong(i -> plain.backoffMillis(i, () -> 0.5)))
        .containsExactly(50L, 75L, 112L, 168L, 253L);
    assertThat(plain.backoffMillis(15, () -> 0.5)).isEqualTo(21_894);
    assertThat(plain.backoffMillis(16, () -> 0.5)).isEqualTo(30_000);
    assertThat(plain.backoffMillis(9_999, () -> 0.5)).isEqualTo(30_000);
  }

  @ParameterizedTest
  @CsvSource({
    "AROUND, 0.2,  0,   80",
    "AROUND, 0.2,  0.5, 100",
    "AROUND, 0.2,  0.99, 119",
    "AROUND, 1,    0,   0",
    "ADDED,  0.5,  0,   100",
    "ADDED,  0.5,  0.99, 149",
    "FULL,   0,    0,   0",
    "FULL,   0,    0.5, 50",
    "FULL,   0,    0.99, 99",
  })
  void jitterSpreads(Jitter.Form kind, double share, double random, long expected) {
    RetryOptions options = RetryOptions.DEFAULT.with(
        o -> o.initialBackoff(Duration.ofMillis(100)).jitter(new Jitter(kind, share)));
    assertThat(options.backoffMillis(0, () -> random)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"AROUND", "ADDED", "FULL"})
  void jitterNeverLeadsAboveTheMaximum(Jitter.Form kind) {
    RetryOptions options = RetryOptions.DEFAULT.with(
        o -> o.maxBackoff(Duration.ofMillis(120)).jitter(new Jitter(kind, 1)));
    for (int i = 0; i < 10; i++) {
      assertThat(options.backoffMillis(i, () -> ALMOST_ONE)).isLessThanOrEqualTo(120);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // the wait without jitter, random, expected: up to 100 ms more, for any wait
    "0,    0,    100",
    "0,    0.5,  150",
    "0,    0.99, 199",
    "3,    0.5,  850",
    "5,    0,    3000",
    "5,    0.5,  3050",
    "9999, 0.99, 3099",
  })
  void aJitterOfADurationIsAddedToEveryWaitAlsoToTheLongest(
      int retry, double random, long expected) {
    assertThat(RetryOptions.STORJ.backoffMillis(retry, () -> random)).isEqualTo(expected);
  }

  @Test
  void thePresetOfStorjHasItsWaitsAndAttempts() {
    RetryOptions plain = RetryOptions.STORJ.with(o -> o.jitter(Jitter.NONE));
    assertThat(IntStream.range(0, plain.attempts() - 1)
            .mapToLong(i -> plain.backoffMillis(i, () -> 0.5)))
        .containsExactly(100L, 200L, 400L, 800L, 1600L, 3000L);
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake(o -> o.attempts(0), "attempts: 0 (expected: 1 to 10000)"),
        mistake(
            o -> o.initialBackoff(Duration.ZERO),
            "initialBackoff: PT0S (expected: PT0.001S to PT168H)"),
        mistake(
            o -> o.maxBackoff(Duration.ofMillis(49)),
            "maxBackoff: PT0.049S (expected: at least initialBackoff)"),
        mistake(o -> o.multiplier(0.9), "multiplier: 0.9 (expected: 1 to 100)"),
        mistake(o -> o.multiplier(Double.NaN), "multiplier: NaN (expected: 1 to 100)"),
        mistake(o -> o.jitter(Jitter.around(1.1)), "jitter.share: 1.1 (expected: 0 to 1)"),
        mistake(o -> o.jitter(Jitter.added(-0.1)), "jitter.share: -0.1 (expected: 0 to 1)"),
        mistake(
            o -> o.jitter(Jitter.added(Duration.ofMillis(-1))),
            "jitter.span: PT-0.001S (expected: PT0S to PT168H)"),
        mistake(
            o -> o.jitter(Jitter.added(Duration.ofDays(8))),
            "jitter.span: PT192H (expected: PT0S to PT168H)"),
        mistake(
            o -> o.maxWait(Duration.ofDays(8)), "maxWait: PT192H (expected: PT0.001S to PT168H)"),
        mistake(
            o -> o.deadline(Duration.ofMillis(-1)),
            "deadline: PT-0.001S (expected: PT0.001S to PT168H)"),
        mistake(
            o -> o.breaker(new BreakerOptions(0, Duration.ZERO)),
            "breaker.failures: 0 (expected: 1 to 10000); breaker.openFor: PT0S (expected: PT0.001S to PT168H)"),
        mistake(
            o -> o.budget(new BudgetOptions(2, -1)),
            "budget.share: 2 (expected: 0 to 1); budget.reserve: -1 (expected: 0 to 1000000)"),
        mistake(o -> o.overload(1), "overload: 1 (expected: 1.1 to 100)"),
        mistake(
            o -> o.attempts(0).multiplier(0).jitter(Jitter.around(2)),
            "attempts: 0 (expected: 1 to 10000); multiplier: 0 (expected: 1 to 100); jitter.share: 2 (expected: 0 to 1)"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void everyMistakeIsNamedAtOnce(Consumer<RetryOptions.Builder> changes, String message) {
    assertThatThrownBy(() -> RetryOptions.DEFAULT.with(changes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void disablingSwitchesAllOff() {
    RetryOptions off = RetryOptions.INTERACTIVE.with(o -> o.overload(2).disable());
    assertThat(off.enabled()).isFalse();
    assertThat(off.tickets()).isFalse();
    assertThat(off.deadline()).isEmpty();
    assertThat(off.breaker()).isEmpty();
    assertThat(off.budget()).isEmpty();
    assertThat(off.overload()).isEmpty();
  }

  private static Arguments mistake(Consumer<RetryOptions.Builder> changes, String message) {
    return Arguments.of(changes, message);
  }
}
