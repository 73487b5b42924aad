package io.weir.cluster.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cluster.local.KeyClient.Answer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PatienceTest {
  private static final Answer REJECTED = new Answer(429, 1234, 2, Optional.of("ticket"));

  @Test
  void eachKindWaitsByItsOwnMeasure() {
    assertThat(Patience.SLOTS.waitMillis(REJECTED, 7, () -> 0.5)).isEqualTo(1234);
    assertThat(Patience.NEXT_TOKEN.waitMillis(REJECTED, 7, () -> 0.5)).isEqualTo(2000);
    assertThat(Patience.BACKOFF.waitMillis(REJECTED, 1, () -> 0.5)).isEqualTo(50);
    assertThat(Patience.BACKOFF.waitMillis(REJECTED, 2, () -> 0.5)).isEqualTo(75);
    assertThat(Patience.BACKOFF.waitMillis(REJECTED, 1, () -> 0)).isEqualTo(40);
    assertThat(Patience.BACKOFF.waitMillis(REJECTED, 99, () -> 0.999)).isEqualTo(30_000);
  }

  @Test
  void noAnswerIsAskedAgainSoon() {
    for (Patience patience : Patience.values()) {
      assertThat(patience.waitMillis(Answer.NONE, 1, () -> 0.5)).isEqualTo(100);
    }
  }
}
