package io.weir.node.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.RetryRule;
import io.weir.node.upstream.NextStep.Again;
import io.weir.node.upstream.NextStep.Answer;
import io.weir.node.upstream.NextStep.Attempted;
import io.weir.node.upstream.NextStep.Fail;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The step after an attempt, by its outcome and those before. */
final class NextStepTest {
  private static final Optional<NotRetried> NOTHING = Optional.empty();
  private static final Attempted ONE = Attempted.NONE.and(false);

  private static NextStep after(AttemptOutcome outcome, Attempted attempted, int most) {
    return NextStep.after(outcome, attempted, most, NOTHING, true);
  }

  @Test
  void anAnswerThatAnotherAttemptWouldNotImproveIsTheAnswer() {
    assertThat(after(AttemptOutcome.answered(200, 0), ONE, 3)).isEqualTo(new Answer());
    assertThat(after(AttemptOutcome.answered(404, 0), ONE, 3)).isEqualTo(new Answer());
    assertThat(after(AttemptOutcome.unknown(), ONE, 3)).isEqualTo(new Answer());
  }

  @Test
  void aFailedAttemptIsFollowedByAnotherUpToTheMost() {
    assertThat(after(AttemptOutcome.broken(), ONE, 3)).isEqualTo(new Again(Optional.of(0)));
    assertThat(after(AttemptOutcome.broken(), ONE.and(false), 3))
        .isEqualTo(new Again(Optional.of(1)));
    assertThat(after(AttemptOutcome.broken(), ONE.and(false).and(false), 3))
        .isEqualTo(new Fail(NotRetried.ATTEMPTS));
    assertThat(after(AttemptOutcome.notSent(), ONE, 1)).isEqualTo(new Fail(NotRetried.ATTEMPTS));
  }

  @Test
  void aProbeCostsNoAttemptAndIsFollowedAtOnce() {
    Attempted probed = Attempted.NONE.and(true);
    Again again = new Again(Optional.empty());
    assertThat(after(AttemptOutcome.broken(), probed, 2)).isEqualTo(again);
    assertThat(again.waitMillis(RetryRule.DEFAULT, 0.5)).isZero();
    assertThat(after(AttemptOutcome.broken(), probed.and(false), 2))
        .isEqualTo(new Again(Optional.of(0)));
    assertThat(after(AttemptOutcome.broken(), probed, 1))
        .as("a request that is sent once is no probe that is repeated")
        .isEqualTo(new Fail(NotRetried.ATTEMPTS));
  }

  @Test
  void anObstacleOfTheSenderComesBeforeAllOthers() {
    assertThat(
            NextStep.after(AttemptOutcome.broken(), ONE, 1, Optional.of(NotRetried.UNSAFE), true))
        .isEqualTo(new Fail(NotRetried.UNSAFE));
    assertThat(NextStep.after(
            AttemptOutcome.answered(200, 0), ONE, 1, Optional.of(NotRetried.UNSAFE), true))
        .isEqualTo(new Answer());
  }

  @Test
  void theOnlyServerIsNotAskedAgainBeforeItsWaitIsOver() {
    AttemptOutcome busy = AttemptOutcome.answered(429, 5000);
    assertThat(NextStep.after(busy, ONE, 3, NOTHING, false)).isEqualTo(new Fail(NotRetried.ALONE));
    assertThat(NextStep.after(busy, ONE, 3, NOTHING, true)).isEqualTo(new Again(Optional.of(0)));
    assertThat(NextStep.after(AttemptOutcome.answered(429, 0), ONE, 3, NOTHING, false))
        .isEqualTo(new Again(Optional.of(0)));
  }
}
