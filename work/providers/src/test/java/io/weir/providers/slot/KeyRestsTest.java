package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class KeyRestsTest {
  private static final KeyRests.Key KEY = new KeyRests.Key("rpc", "a", "k1");
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final KeyRests rests = new KeyRests();
  private long now = Long.MAX_VALUE - 100 * SECOND; // as of a clock that overflows

  private long restSeconds() {
    return TimeUnit.MICROSECONDS.toSeconds(rests.refusedMicros(KEY, now));
  }

  @Test
  void eachRestInARowIsTwiceAsLongUpToTheLongest() {
    for (long expected : new long[] {10, 20, 40, 80, 160, 320, 600, 600}) {
      assertThat(restSeconds()).isEqualTo(expected);
      now += expected * SECOND;
    }
  }

  @Test
  void requestsThatWereUnderWayDoNotMakeItLonger() {
    assertThat(restSeconds()).isEqualTo(10);
    now += 4 * SECOND;
    assertThat(restSeconds()).isEqualTo(6);
    now += 6 * SECOND;
    assertThat(restSeconds()).isEqualTo(20);
  }

  @Test
  void aKeyIsRefusedUntilItWorksOrNobodyUsesIt() {
    assertThat(rests.isRefused(KEY, now)).isFalse();
    rests.refusedMicros(new KeyRests.Key("rpc", "a", "k1/fast"), now);
    assertThat(rests.isRefused(KEY, now)).isTrue(); // for one group
    assertThat(rests.isRefused(new KeyRests.Key("rpc", "a", "k"), now)).isFalse();
    now += 609 * SECOND;
    assertThat(rests.isRefused(KEY, now)).isTrue();
    now += SECOND;
    assertThat(rests.isRefused(KEY, now)).isFalse();
    restSeconds();
    assertThat(rests.isRefused(KEY, now)).isTrue();
    rests.forget(KEY);
    assertThat(rests.isRefused(KEY, now)).isFalse();
  }

  @Test
  void aKeyThatWorksAgainBeginsAnew() {
    restSeconds();
    now += 10 * SECOND;
    rests.forget(KEY);
    assertThat(restSeconds()).isEqualTo(10);
  }
}
