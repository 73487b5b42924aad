package io.weir.client.retry;

import io.weir.client.retry.RetryLaterException.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** The step after an attempt: the call ends as the attempt did, waits for another one, or fails. */
sealed interface NextStep {
  /** The call ends as the attempt did: another attempt would not improve the answer. */
  record Answer() implements NextStep {}

  /** The call ends as the attempt did, although another attempt might improve the answer. */
  record GiveUp(String why) implements NextStep {}

  /**
   * The call fails, because the wait for another attempt is too long.
   *
   * @param failure the reason of the outcome
   */
  record Late(String failure, Duration pause, Reason reason) implements NextStep {
    /** The exception of a call of this name. */
    RetryLaterException exception(String call) {
      String message = "%s: %s; it may be tried again in %d ms, which is %s"
          .formatted(
              call,
              failure,
              pause.toMillis(),
              reason == Reason.WAIT_TOO_LONG ? "more than maxWait" : "after the call's deadline");
      return new RetryLaterException(message, reason, pause);
    }
  }

  /**
   * Another attempt follows after a wait.
   *
   * @param isCharged whether it is charged to the budget of retries: the server has not named the wait
   */
  record Again(Duration pause, boolean isCharged) implements NextStep {}

  /**
   * The call so far.
   *
   * @param sent the attempts, with the last one
   * @param elapsed the time since it began
   * @param isReplayable whether its body can be sent again
   */
  record Attempted(int sent, Duration elapsed, boolean isReplayable) {}

  /** Whether the call ends as the attempt did. */
  default boolean isAnswer() {
    return this instanceof Answer || this instanceof GiveUp;
  }

  /**
   * Returns the next step.
   *
   * @param random from 0 to below 1; asked only for a wait that the server has not named
   */
  static NextStep after(
      CallOutcome outcome, Attempted attempted, RetryOptions options, DoubleSupplier random) {
    if (!options.enabled() || !outcome.isRetryable()) {
      return new Answer();
    }
    if (!attempted.isReplayable()) {
      return new GiveUp("its body cannot be sent again");
    }
    if (attempted.sent() >= options.attempts()) {
      return new GiveUp("no attempt is left");
    }
    Duration wait = Duration.ofMillis(outcome
        .namedMillis()
        .orElseGet(() -> Math.max(1, options.backoffMillis(attempted.sent() - 1, random))));
    Optional<Reason> tooLong = tooLong(wait, attempted.elapsed(), options);
    return tooLong.isPresent()
        ? new Late(outcome.reason(), wait, tooLong.get())
        : new Again(wait, outcome.namedMillis().isEmpty());
  }

  private static Optional<Reason> tooLong(Duration wait, Duration elapsed, RetryOptions options) {
    if (wait.compareTo(options.maxWait()) > 0) {
      return Optional.of(Reason.WAIT_TOO_LONG);
    }
    return options
        .deadline()
        .filter(deadline -> elapsed.plus(wait).compareTo(deadline) > 0)
        .map(deadline -> Reason.PAST_DEADLINE);
  }
}
