package io.weir.client.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The meaning of a status. */
final class AnswerStatusTest {
  @ParameterizedTest
  @ValueSource(ints = {500, 502, 503, 504, 507, 511, 520, 521, 522, 523, 524, 529, 530, 599})
  void eachFailureIsWorthAnotherAttempt(int status) {
    assertThat(AnswerStatus.isFailure(status)).isTrue();
    assertThat(AnswerStatus.isPassing(status)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 202, 304, 400, 401, 403, 404, 409, 425, 501, 505})
  void theRequestIsTheCauseOfOtherAnswers(int status) {
    assertThat(AnswerStatus.isFailure(status)).isFalse();
    assertThat(AnswerStatus.isPassing(status)).isFalse();
  }

  @Test
  void aServerWithoutCapacityHasNotFailedForGood() {
    assertThat(IntStream.range(100, 1000).filter(AnswerStatus::isBusy))
        .containsExactly(429, 503, 529)
        .allMatch(AnswerStatus::isPassing);
    assertThat(AnswerStatus.isFailure(429)).isFalse();
    assertThat(AnswerStatus.isPassing(408)).isTrue();
  }
}
