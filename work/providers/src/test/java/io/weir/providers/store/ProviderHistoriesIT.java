package io.weir.providers.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.HistoryRun;
import java.util.HashMap;
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
            RedisProviders.rehearsing(connections, clock)),
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

  /** The counts of requests under way are those of the requests under way. */
  private static void keysAgree(RedisConnections connections, String name) {
    List<String> keys = UpstreamKeys.of(name);
    Map<String, Long> counts = new HashMap<>();
    for (String member : connections.sync().zrange(keys.get(1), 0, -1)) {
      counts.merge("busy:" + member.replaceAll(".* ", ""), 1L, Long::sum);
    }
    Map<String, Long> kept = new HashMap<>();
    connections.sync().hgetall(keys.get(0)).forEach((field, value) -> {
      if (field.startsWith("busy:")) {
        kept.put(field, Long.parseLong(value));
      }
    });
    assertThat(kept).isEqualTo(counts);
  }
}
