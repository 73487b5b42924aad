package io.weir.state.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long a node that starts tries to reach Redis. */
final class RedisWaitTest {
  private static final long START_NANOS = 7_000_000_123L;

  private final List<Duration> pauses = new ArrayList<>();
  private long nanos = START_NANOS;
  private int tries;

  private RedisWait waiting(Duration most) {
    return new RedisWait(most, "--redis-wait-ms", () -> nanos, span -> {
      pauses.add(span);
      nanos += span.toNanos();
    });
  }

  // Each try takes two seconds, like a try to an address that does not answer.
  private String connect(int failures, StoreFault fault) {
    nanos += TimeUnit.SECONDS.toNanos(2);
    tries++;
    if (tries <= failures) {
      throw new StoreUnavailableException(fault, "no Redis to connect to: refused", null);
    }
    return "connected";
  }

  @Test
  void aNodeTriesAgainUntilRedisAnswers() {
    String connected =
        waiting(Duration.ofMinutes(1)).until(() -> connect(5, StoreFault.UNREACHABLE));
    assertThat(connected).isEqualTo("connected");
    assertThat(tries).isEqualTo(6);
    assertThat(pauses.stream().map(Duration::toMillis))
        .containsExactly(250L, 500L, 1000L, 2000L, 4000L);
  }

  @Test
  void aNodeGivesUpAfterItsTimeAndSaysSo() {
    assertThatThrownBy(() ->
            waiting(Duration.ofSeconds(30)).until(() -> connect(1000, StoreFault.UNREACHABLE)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("no Redis to connect to: refused; it was tried for 30 s (--redis-wait-ms)");
    assertThat(Duration.ofNanos(nanos - START_NANOS))
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(32));
  }

  @Test
  void aWaitOfZeroIsOneTry() {
    assertThatThrownBy(
            () -> waiting(Duration.ZERO).until(() -> connect(1000, StoreFault.UNREACHABLE)))
        .hasMessage("no Redis to connect to: refused");
    assertThat(tries).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = StoreFault.class,
      names = {"UNREACHABLE", "SLOW"},
      mode = EnumSource.Mode.EXCLUDE)
  void anErrorThatWaitingDoesNotMendEndsTheStartAtOnce(StoreFault fault) {
    assertThatThrownBy(() -> waiting(Duration.ofMinutes(1)).until(() -> connect(1000, fault)))
        .hasMessage("no Redis to connect to: refused");
    assertThat(tries).isEqualTo(1);
    assertThat(pauses).isEmpty();
  }
}
