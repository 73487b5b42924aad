package io.weir.providers.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Memory and Redis agree after every step of generated histories of upstreams. {@code -Dweir.scenario.seeds} and
 * {@code -Dweir.scenario.steps} set how many there are and their length.
 */
@ExtendWith(RedisFixture.class)
final class ProviderHistoriesIT {
  private static final int SEEDS =
      Integer.getInteger("weir.scenario.seeds", Histories.count(20, 300));
  private static final int STEPS = Integer.getInteger("weir.scenario.steps", 600);
  private static RedisConnections connections;

  @BeforeAll
  static void connect(RedisConnections open) {
    connections = open;
  }

  @Test
  void memoryAndRedisAgreeAfterEveryStep() {
    Map<String, Long> seen = new TreeMap<>();
    long steps = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      ProviderHistory history = new ProviderHistory(
          seed,
          "up" + seed,
          clock,
          new InMemoryProviders(clock),
          RedisProviders.rehearsing(connections, clock));
      for (int i = 0; i < STEPS; i++) {
        history.step();
        if (i % 50 == 0) {
          keysAgree("up" + seed);
        }
      }
      history.stores().seen().forEach((what, times) -> seen.merge(what, times, Long::sum));
      steps += history.stores().steps();
    }
    System.out.println("ProviderHistoriesIT: " + steps + " answers, " + seen);
    assertThat(seen)
        .containsKeys("Booked", "Later", "Full", "Open", "NotAsked", "ahead", "now", "probe")
        .containsKeys("held", "not held", "renewed", "not renewed", "open told", "probe told");
  }

  /** The counts of requests under way are those of the requests under way. */
  private static void keysAgree(String name) {
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
