package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.HistoryRun;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Memory and Redis agree after every step of generated histories of jobs; see {@link HistoryRun}. */
@ExtendWith(RedisFixture.class)
final class JobHistoriesIT {
  @Test
  void memoryAndRedisAgreeAfterEveryStep(RedisConnections connections) {
    Map<String, Long> seen = HistoryRun.of(
        "JobHistoriesIT",
        600,
        (seed, clock) -> new JobHistory(
            seed,
            "op" + seed,
            clock,
            new InMemoryJobs(clock),
            RedisJobs.rehearsing(connections, clock)),
        seed -> {});
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
