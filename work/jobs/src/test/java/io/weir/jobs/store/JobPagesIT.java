package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobPage;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobSubmission;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pages of jobs, with a manual clock. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class JobPagesIT {
  private static final int JOBS = 600;
  private static final JobRule RULE = new JobRule(
      Map.of(JobParameter.CAPACITY, 1000L, JobParameter.CAPACITY_OF_KEY, 1000L),
      JobRule.DEFAULT.waits(),
      JobRule.DEFAULT.protocol());

  private static int operations;

  private long now = 4_000_000_000_000_001L;
  private RedisJobs jobs;
  private String operation = "";

  @BeforeEach
  void submit(RedisConnections connections) {
    operation = "pages" + operations++;
    jobs = new RedisJobs(connections, StoreClock.of(() -> now));
    for (int i = 0; i < JOBS; i++) {
      JobName name = new JobName(operation, id(i), "acme", "k1", "f");
      of(jobs.submit(RULE, new JobSubmission(name, "request")));
      now++;
    }
  }

  private static String id(int job) {
    return "%032x".formatted(job);
  }

  private static <T> T of(CompletionStage<T> asked) {
    return asked.toCompletableFuture().join();
  }

  private void end(int job, JobState state) {
    of(jobs.move(operation, RULE, id(job), "", 0, JobMove.to(state)));
    now++;
  }

  private JobPage inState(JobState state, long from, int most) {
    return of(jobs.pages().inState(operation, state, from, most));
  }

  private static List<String> ids(JobPage page) {
    return page.jobs().stream().map(job -> job.name().id()).toList();
  }

  @Test
  void theLastPageNamesNoNextOne() {
    JobPage first = of(jobs.pages().page(operation, 0, 200));
    assertThat(first.next()).hasValue(200);
    JobPage last = of(jobs.pages().page(operation, 400, 200));
    assertThat(last.jobs()).hasSize(200);
    assertThat(last.next()).isEmpty();
  }

  @Test
  void jobsThatHaveEndedAreFoundTheLastOneFirst() {
    end(7, JobState.CANCELLED);
    end(3, JobState.FAILED);
    end(5, JobState.CANCELLED);

    JobPage first = inState(JobState.CANCELLED, 0, 1);
    assertThat(ids(first)).containsExactly(id(5));
    assertThat(first.queue().dispatch()).isEqualTo(JOBS - 3);

    JobPage second = inState(JobState.CANCELLED, first.next().orElseThrow(), 1);
    assertThat(ids(second)).containsExactly(id(7));
    assertThat(ids(inState(JobState.FAILED, 0, 10))).containsExactly(id(3));
  }

  @Test
  void aPageExaminesFewJobs() {
    JobPage first = inState(JobState.COMPLETED, 0, 10);
    assertThat(first.jobs()).isEmpty();
    assertThat(first.next()).isEqualTo(OptionalLong.of(500));
    assertThat(inState(JobState.COMPLETED, 500, 10).next()).isEmpty();

    JobPage queued = inState(JobState.QUEUED, 500, 200);
    assertThat(ids(queued)).hasSize(100).startsWith(id(500));
    assertThat(queued.next()).isEmpty();
  }
}
