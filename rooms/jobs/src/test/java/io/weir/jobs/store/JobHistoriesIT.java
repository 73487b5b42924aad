package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Memory and Redis agree after every step of generated histories of jobs. {@code -Dweir.scenario.seeds} and
 * {@code -Dweir.scenario.steps} set how many there are and their length.
 */
@ExtendWith(RedisFixture.class)
final class JobHistoriesIT {
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
      JobHistory history = new JobHistory(
          seed,
          "op" + seed,
          clock,
          new InMemoryJobs(clock),
          RedisJobs.rehearsing(connections, clock));
      for (int i = 0; i < STEPS; i++) {
        history.step();
      }
      history.stores().seen().forEach((what, times) -> seen.merge(what, times, Long::sum));
      steps += history.stores().steps();
    }
    System.out.println("JobHistoriesIT: " + steps + " answers, " + seen);
    assertThat(seen)
        .containsKeys("submit Taken", "submit Known", "submit Other", "taken anew")
        .containsKeys("Full ALL", "Full KEY", "Full TENANT")
        .containsKeys("NoRoom ALL", "NoRoom KEY", "NoRoom TENANT")
        .containsKeys("keepPlace Placed", "keepPlace Awaited", "submitPlaced Taken")
        .containsKeys("CHECK", "SEND", "ASK", "given back", "timed out", "failed")
        .containsKeys("moved again", "moved unsent", "moved let_go", "moved ready")
        .containsKeys("moved receipt_received", "moved completed", "refused completed")
        .containsKeys("moved cancelled", "no job", "renewed", "not renewed");
  }
}
