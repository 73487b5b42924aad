package io.weir.node.upstream;

import io.weir.core.policy.RetryRule;
import java.util.Optional;

/** The step after an attempt: the request is sent again, has its answer, or fails. */
sealed interface NextStep {
  /** No other attempt would improve the answer. */
  record Answer() implements NextStep {}

  /** It failed, and is not sent again. */
  record Fail(NotRetried why) implements NextStep {}

  /**
   * It is sent again.
   *
   * @param waits the number of waits before; empty to send it at once, without a charge to the budget
   */
  record Again(Optional<Integer> waits) implements NextStep {
    /** The wait, by a rule and a random number from 0 to 1. */
    long waitMillis(RetryRule rule, double random) {
      return waits.map(before -> rule.backoff().waitMillis(before, random)).orElse(0L);
    }
  }

  /**
   * The attempts so far.
   *
   * @param sent all of them
   * @param free those that do not count
   * @param isLastFree whether the last one does not count
   */
  record Attempted(int sent, int free, boolean isLastFree) {
    static final Attempted NONE = new Attempted(0, 0, false);

    /** One more. */
    Attempted and(boolean isFree) {
      return new Attempted(sent + 1, free + (isFree ? 1 : 0), isFree);
    }

    int counted() {
      return sent - free;
    }
  }

  /**
   * Returns what follows.
   *
   * @param most the most attempts that count
   * @param obstacle a reason against another attempt that the sender knows
   * @param hasAnother whether there is a server that was not tried
   */
  static NextStep after(
      AttemptOutcome outcome,
      Attempted attempted,
      int most,
      Optional<NotRetried> obstacle,
      boolean hasAnother) {
    boolean isOfOnlyKey = outcome.health() == AttemptOutcome.Health.REFUSED && !hasAnother;
    if (!outcome.mayBeSentAgain() || isOfOnlyKey) {
      return new Answer();
    }
    if (obstacle.isPresent()) {
      return new Fail(obstacle.get());
    }
    if (most == 1 || attempted.counted() >= most) {
      return new Fail(NotRetried.ATTEMPTS);
    }
    // If the only server asked for a wait, its answer is the final answer.
    if (outcome.coolMillis() > 0 && !hasAnother) {
      return new Fail(NotRetried.ALONE);
    }
    return new Again(
        attempted.isLastFree() ? Optional.empty() : Optional.of(attempted.counted() - 1));
  }
}
