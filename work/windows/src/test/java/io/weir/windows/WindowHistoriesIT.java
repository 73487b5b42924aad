package io.weir.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.DriftProof;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.HistoryRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory and Redis agree after every step of generated histories of windows; see {@link HistoryRun}. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class WindowHistoriesIT {
  private static final int RANGES = 1;
  private static final int NOTES = 2;
  private static final int TODO = 3;
  private static final int TIMES = 4;

  @Test
  void memoryAndRedisAgreeAfterEveryStep(RedisConnections connections) {
    Map<String, Long> seen = HistoryRun.of(
        "WindowHistoriesIT",
        400,
        (seed, clock) -> new WindowHistory(
            seed,
            "w" + seed,
            clock,
            new InMemoryWindows(clock),
            new RedisWindows(connections, StoreClock.of(clock))),
        seed -> keysAgree(connections, "w" + seed));
    HistoryRun.requireInAll(
        seen,
        "open Opened",
        "open Full",
        "open Blocked",
        "open NotNext",
        "taken back",
        "claim Claimed",
        "claim Nothing",
        "FORGET Done",
        "FINISH Done",
        "FINISH Refused",
        "FINISH Unknown",
        "FAIL Done",
        "FAIL Refused",
        "RELEASE Done",
        "RELEASE Refused",
        "RENEW Done",
        "RENEW Refused",
        "SKIP Done",
        "SKIP Refused",
        "SKIP Unknown",
        "RETRY Done",
        "RETRY Refused",
        "COMMIT Done",
        "COMMIT Refused");
  }

  /** Nothing is kept of ranges that are not open. */
  private static void keysAgree(RedisConnections connections, String name) {
    List<String> keys = WindowKeys.of(name);
    Map<String, String> ranges = connections.sync().hgetall(keys.get(RANGES));
    assertThat(ranges.keySet()).containsAll(connections.sync().hkeys(keys.get(NOTES)));
    DriftProof proof = new DriftProof(connections, WindowDrift.CHECK, name, List.of());
    proof.requireNone();
    proof.requireRepairedFields("window", keys.get(0), "failed", "failed");
    proof.requireRemovedStranger("todo", keys.get(TODO));
    proof.requireRemovedStranger("times", keys.get(TIMES));
  }
}
