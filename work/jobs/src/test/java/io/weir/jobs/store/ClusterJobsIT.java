package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobPage;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Jobs on a Redis Cluster: queues of several operations, on any masters. */
final class ClusterJobsIT {
  private static final int OPERATIONS = 12;
  private static final int JOBS = 20;
  private static final JobRule RULE = new JobRule(
      Map.of(JobParameter.DISPATCH_PER_SECOND, 10_000L),
      new JobRule.Waits(false, false, List.of()),
      new JobRule.Protocol(Optional.empty(), false, Set.of(), Set.of()));

  private static RedisCluster cluster;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(2, 0);
    connections = RedisConnections.open(cluster.uri(), Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    connections.close();
    cluster.close();
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void eachQueueIsOnOneMaster() {
    RedisJobs jobs = new RedisJobs(connections);
    for (int operation = 0; operation < OPERATIONS; operation++) {
      String name = "op" + operation;
      for (int i = 0; i < JOBS; i++) {
        JobSubmission submission = new JobSubmission(
            new JobName(name, "%032x".formatted(i), "tenant" + i % 3, "k" + i, "f"),
            "request " + i);
        assertThat(of(jobs.submit(RULE, submission))).isInstanceOf(SubmittedJob.Taken.class);
      }
      ClaimedJobs claimed =
          of(jobs.claim(name, RULE, "n:1", List.of(), new Wanted(200_000, 0, 100)));
      assertThat(claimed.work()).hasSize(JOBS);
      for (JobWork work : claimed.work()) {
        JobMove done = JobMove.to(JobState.COMPLETED, "done");
        assertThat(of(jobs.move(name, RULE, work.job().name().id(), "n:1", 0, done))
                .orElseThrow()
                .isMoved())
            .isTrue();
      }
      assertThat(of(jobs.look(name, "%032x".formatted(0), "")).orElseThrow().result())
          .isEqualTo("done");
      JobPage done = of(jobs.pages().inState(name, JobState.COMPLETED, 0, 100));
      assertThat(done.jobs()).hasSize(JOBS);
    }
  }
}
