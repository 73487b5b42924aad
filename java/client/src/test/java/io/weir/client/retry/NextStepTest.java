package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.retry.CallOutcome.Standing;
import io.weir.client.retry.NextStep.Again;
import io.weir.client.retry.NextStep.Answer;
import io.weir.client.retry.NextStep.Attempted;
import io.weir.client.retry.NextStep.GiveUp;
import io.weir.client.retry.NextStep.Late;
import io.weir.client.retry.RetryLaterException.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The step after an attempt, by its outcome and the call so far. */
final class NextStepTest {
  private static final RetryOptions THREE_IN_TWO_SECONDS =
      RetryOptions.DEFAULT.with(o -> o.attempts(3)
          .initialBackoff(Duration.ofMillis(50))
          .multiplier(2)
          .jitter(Jitter.NONE)
          .maxWait(Duration.ofSeconds(1))
          .deadline(Duration.ofSeconds(2)));
  private static final CallOutcome DONE = outcome(false, OptionalLong.empty());
  private static final CallOutcome FAILED = outcome(true, OptionalLong.empty());
  private static final GiveUp NO_ATTEMPT = new GiveUp("no attempt is left");
  private static final GiveUp NO_BODY = new GiveUp("its body cannot be sent again");

  private static CallOutcome outcome(boolean isRetryable, OptionalLong namedMillis) {
    return new CallOutcome("503", "503", isRetryable, Standing.BUSY, namedMillis, Optional.empty());
  }

  private static CallOutcome named(long millis) {
    return outcome(true, OptionalLong.of(millis));
  }

  private static Attempted sent(int sent, long elapsedMillis) {
    return new Attempted(sent, Duration.ofMillis(elapsedMillis), true);
  }

  private static Attempted withoutBody(int sent) {
    return new Attempted(sent, Duration.ZERO, false);
  }

  private static Again charged(long millis) {
    return new Again(Duration.ofMillis(millis), true);
  }

  private static Again free(long millis) {
    return new Again(Duration.ofMillis(millis), false);
  }

  private static Late late(long millis, Reason reason) {
    return new Late("503", Duration.ofMillis(millis), reason);
  }

  static Stream<Arguments> steps() {
    return Stream.of(
        Arguments.of(DONE, sent(1, 0), new Answer()),
        Arguments.of(DONE, sent(3, 5000), new Answer()),
        Arguments.of(DONE, withoutBody(1), new Answer()),
        // Waits that the server has not named grow, and are charged.
        Arguments.of(FAILED, sent(1, 0), charged(50)),
        Arguments.of(FAILED, sent(2, 0), charged(100)),
        Arguments.of(FAILED, sent(3, 0), NO_ATTEMPT),
        Arguments.of(FAILED, sent(1, 1950), charged(50)),
        Arguments.of(FAILED, sent(1, 1951), late(50, Reason.PAST_DEADLINE)),
        // Named waits are kept exactly, and are free.
        Arguments.of(named(230), sent(1, 0), free(230)),
        Arguments.of(named(230), sent(2, 0), free(230)),
        Arguments.of(named(230), sent(3, 0), NO_ATTEMPT),
        Arguments.of(named(1000), sent(1, 1000), free(1000)),
        Arguments.of(named(1000), sent(1, 1001), late(1000, Reason.PAST_DEADLINE)),
        Arguments.of(named(1001), sent(1, 0), late(1001, Reason.WAIT_TOO_LONG)),
        Arguments.of(named(1001), sent(1, 1500), late(1001, Reason.WAIT_TOO_LONG)),
        // The body comes first, then the attempts, then the wait.
        Arguments.of(FAILED, withoutBody(1), NO_BODY),
        Arguments.of(FAILED, withoutBody(3), NO_BODY),
        Arguments.of(named(1001), withoutBody(1), NO_BODY),
        Arguments.of(named(1001), sent(3, 0), NO_ATTEMPT));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void anAttemptIsFollowedBy(CallOutcome outcome, Attempted attempted, NextStep expected) {
    assertThat(NextStep.after(outcome, attempted, THREE_IN_TWO_SECONDS, () -> 0.5))
        .isEqualTo(expected);
  }

  @Test
  void disabledEveryOutcomeIsTheAnswer() {
    assertThat(NextStep.after(named(1001), withoutBody(3), RetryOptions.NONE, () -> 0.5))
        .isEqualTo(new Answer());
  }

  @Test
  void withoutADeadlineOnlyTheWaitIsBounded() {
    assertThat(NextStep.after(named(60_000), sent(4, 1L << 40), RetryOptions.DEFAULT, () -> 0.5))
        .isEqualTo(free(60_000));
  }

  @Test
  void aWaitThatTheServerHasNotNamedIsAtLeastOneMillisecond() {
    RetryOptions options = RetryOptions.DEFAULT.with(
        o -> o.initialBackoff(Duration.ofMillis(1)).jitter(Jitter.around(1)));
    assertThat(NextStep.after(FAILED, sent(1, 0), options, () -> 0)).isEqualTo(charged(1));
  }

  @Test
  void aNamedWaitNeedsNoRandomNumber() {
    DoubleSupplier none = () -> {
      throw new AssertionError("asked for a random number");
    };
    assertThat(NextStep.after(named(230), sent(1, 0), THREE_IN_TWO_SECONDS, none))
        .isEqualTo(free(230));
  }
}
