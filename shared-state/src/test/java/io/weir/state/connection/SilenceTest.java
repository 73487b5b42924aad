package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SilenceTest {
  private static final long FIRST = 7_000_000_001L;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Silence silence = new Silence();

  @Test
  void oneFailedCallIsNoLongSilence() {
    assertThat(silence.isLong(FIRST)).isFalse();
  }

  @Test
  void itIsLongASecondAfterTheFirstOfTheFailedCalls() {
    silence.isLong(FIRST);
    assertThat(silence.isLong(FIRST + SECOND)).isFalse();
    assertThat(silence.isLong(FIRST + SECOND + 1)).isTrue();
  }

  @Test
  void anAnswerEndsIt() {
    silence.isLong(FIRST);
    silence.end();
    assertThat(silence.isLong(FIRST + 2 * SECOND)).isFalse();
    assertThat(silence.isLong(FIRST + 3 * SECOND + 1)).isTrue();
  }
}
