package io.weir.jobs.store;

import io.weir.jobs.rule.JobRule;
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

/** Memory and Redis agree after every step of generated histories of jobs; see {@link HistoryRun}. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
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
            new RedisJobs(connections, StoreClock.of(clock))),
        seed -> countersAgree(connections, "op" + seed));
    HistoryRun.requireInAll(
        seen,
        "submit Taken",
        "submit Known",
        "submit Other",
        "taken anew",
        "Full ALL",
        "Full KEY",
        "Full TENANT",
        "QueueFull ALL",
        "QueueFull KEY",
        "QueueFull TENANT",
        "keepPlace Placed",
        "keepPlace Awaited",
        "submitPlaced Taken",
        "CHECK",
        "SEND",
        "ASK",
        "given back",
        "timed out",
        "failed",
        "moved again",
        "moved unsent",
        "moved let_go",
        "moved ready",
        "moved receipt_received",
        "moved completed",
        "refused completed",
        "moved cancelled",
        "no job",
        "settle Settled",
        "settle Cancelled",
        "renewed",
        "not renewed");
  }

  private static void countersAgree(RedisConnections connections, String operation) {
    DriftProof proof = JobDriftIT.proof(connections, operation, JobRule.DEFAULT);
    proof.requireNone();
    proof.requireRepairedFields("counts", JobKeys.counts(operation), "", "jobs:none");
    for (String set : List.of("waiting", "dispatch", "checking", "running", "ends")) {
      proof.requireRemovedStranger(set, JobDriftIT.key(operation, set));
    }
  }
}
