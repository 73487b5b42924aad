package io.weir.node.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.upstream.AttemptOutcome.Health;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The outcome of an attempt, by the status of the answer. */
final class AttemptOutcomeTest {
  @ParameterizedTest
  @ValueSource(ints = {500, 502, 503, 504, 507, 511, 520, 521, 522, 523, 524, 529, 530, 599})
  void whatCountsAgainstAServerIsTriedAtAnother(int status) {
    AttemptOutcome outcome = AttemptOutcome.answered(status, 0);
    assertThat(outcome.health()).isEqualTo(Health.BAD);
    assertThat(outcome.mayBeSentAgain()).isTrue();
    assertThat(outcome.isUnsent()).as("it may have been executed").isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "429, NEUTRAL, false",
    "503, NEUTRAL, true",
    "529, NEUTRAL, true",
    "500, BAD, true",
    "520, BAD, true"
  })
  void aWaitOfAFailedServerIsForTheWholeServer(int status, Health health, boolean coolsServer) {
    AttemptOutcome outcome = AttemptOutcome.answered(status, 3000);
    assertThat(outcome.coolMillis()).isEqualTo(3000);
    assertThat(outcome.health()).isEqualTo(health);
    assertThat(outcome.coolsServer()).isEqualTo(coolsServer);
  }

  @Test
  void anAnswerThatTheRequestCausedSaysNothingAboutTheServer() {
    assertThat(AttemptOutcome.answered(501, 0).health()).isEqualTo(Health.NEUTRAL);
    assertThat(AttemptOutcome.answered(505, 0).mayBeSentAgain()).isFalse();
    assertThat(AttemptOutcome.answered(404, 0).health()).isEqualTo(Health.GOOD);
  }
}
