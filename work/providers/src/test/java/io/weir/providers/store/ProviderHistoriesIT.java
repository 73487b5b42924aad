package io.weir.providers.store;

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

/** Memory and Redis agree after every step of generated histories of upstreams; see {@link HistoryRun}. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class ProviderHistoriesIT {
  @Test
  void memoryAndRedisAgreeAfterEveryStep(RedisConnections connections) {
    Map<String, Long> seen = HistoryRun.of(
        "ProviderHistoriesIT",
        600,
        (seed, clock) -> new ProviderHistory(
            seed,
            "up" + seed,
            clock,
            new InMemoryProviders(clock),
            new RedisProviders(connections, StoreClock.of(clock))),
        seed -> keysAgree(connections, "up" + seed));
    HistoryRun.requireInAll(
        seen,
        "Booked",
        "Later",
        "Full",
        "Open",
        "NotAsked",
        "ahead",
        "now",
        "probe",
        "held",
        "not held",
        "renewed",
        "not renewed",
        "open told",
        "probe told");
  }

  /** The counts of requests under way are those of the requests under way, and become so again. */
  private static void keysAgree(RedisConnections connections, String name) {
    DriftProof proof = new DriftProof(connections, UpstreamDrift.CHECK, name, List.of());
    proof.requireNone();
    proof.requireRepairedFields("upstream", UpstreamKeys.of(name).get(0), "busy:", "busy:none");
  }
}
