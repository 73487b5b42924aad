package io.weir.state.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.wire.Lane;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class OpenCallsTest {
  private static final long MICRO = 1_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final OpenCalls calls = new OpenCalls(Lane.rates(Map.of()));
  private long now = 5 * SECOND;

  @Test
  void aFewCallsFollowEachOtherAtOnce() {
    for (int open = 0; open < 4; open++) {
      assertThat(calls.mayFollow(1)).as("with %d in flight", open).isTrue();
      calls.sent();
    }
    assertThat(calls.mayFollow(256)).isFalse();
  }

  @Test
  void callsFollowEachOtherAtOnceIfRedisIsFarAway() {
    take(100, 80_000 * MICRO);
    calls.sent();
    assertThat(calls.mayFollow(1)).isTrue();
  }

  @Test
  void whileRedisIsBehindFewChargesWaitForTheCallInFlight() {
    take(20, 100 * MICRO);
    take(20, 300 * MICRO);
    assertThat(calls.mayFollow(1)).as("with none in flight").isTrue();
    calls.sent();
    assertThat(calls.mayFollow(31)).isFalse();
    assertThat(calls.mayFollow(32)).isTrue();
    calls.answered(now - 300 * MICRO, now);
    take(20, 110 * MICRO);
    calls.sent();
    assertThat(calls.mayFollow(1)).as("when calls are quick again").isTrue();
  }

  @Test
  void oneSlowCallShowsNothing() {
    take(50, 100 * MICRO);
    take(1, 700 * MICRO);
    calls.sent();
    assertThat(calls.mayFollow(1)).isTrue();
  }

  @Test
  void callsThatFailSayNothing() {
    take(20, 100 * MICRO);
    for (int i = 0; i < 20; i++) {
      calls.sent();
      calls.failed();
    }
    calls.sent();
    assertThat(calls.mayFollow(1)).isTrue();
  }

  @Test
  void aShortestThatIsLongPastCountsNoMore() {
    take(20, 100 * MICRO);
    take(20, 300 * MICRO);
    now += 11 * SECOND;
    take(1, 300 * MICRO);
    calls.sent();
    assertThat(calls.mayFollow(1))
        .as("after the shortest of the ten seconds before")
        .isFalse();
    now += 11 * SECOND;
    calls.answered(now - 300 * MICRO, now);
    calls.sent();
    assertThat(calls.mayFollow(1)).isTrue();
  }

  @Test
  void aLaneOfSingleChargesNeverWaits() {
    OpenCalls single = new OpenCalls(Lane.peek(Map.of()));
    for (long nanos : new long[] {100 * MICRO, 90_000 * MICRO, 90_000 * MICRO}) {
      single.sent();
      single.answered(now - nanos, now);
    }
    single.sent();
    assertThat(single.mayFollow(1)).isTrue();
  }

  private void take(int count, long nanos) {
    for (int i = 0; i < count; i++) {
      calls.sent();
      now += MICRO;
      calls.answered(now - nanos, now);
    }
  }
}
