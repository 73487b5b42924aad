package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.DriftProof;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Counters and sets of jobs that were damaged by hand are found and repaired. */
@ExtendWith(RedisFixture.class)
final class JobDriftIT {
  private static final long START = 4_000_000_000_000_000L;
  private static final String OPERATION = "drift";
  private static final JobRule RULE = new JobRule(
      Map.of(JobParameter.READINESS_CONCURRENCY, 1L, JobParameter.CAPACITY_OF_KEY, 4L),
      new JobRule.Waits(false, true, List.of()),
      new JobRule.Protocol(Optional.of("/ready"), false, Set.of(), Set.of()));

  private RedisConnections connections;
  private RedisJobs jobs;
  private DriftProof proof;
  private int claims;

  static DriftProof proof(RedisConnections connections, String operation, JobRule rule) {
    return new DriftProof(connections, JobDrift.CHECK, operation, JobDrift.times(rule));
  }

  static String key(String operation, String part) {
    return JobKeys.of(operation).get(0) + ":" + part;
  }

  // One job each waits, is checked, waits to be sent and runs, and one has ended; one has only a
  // place.
  @BeforeEach
  void begin(RedisConnections opened) {
    connections = opened;
    jobs = new RedisJobs(connections, StoreClock.of(() -> START));
    proof = proof(connections, OPERATION, RULE);
    submit(1, "k1");
    claim();
    move(1, JobMove.to(JobState.READY));
    claim();
    move(1, JobMove.to(JobState.CANCELLED));
    for (int job = 2; job <= 5; job++) {
      submit(job, "k2");
      if (job < 5) {
        claim();
      }
      if (job < 4) {
        move(job, JobMove.to(JobState.READY));
      }
    }
    claim();
    of(jobs.keepPlace(RULE, submission(6, "k1")));
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static String id(int job) {
    return "%032x".formatted(job);
  }

  private static JobSubmission submission(int job, String subject) {
    return new JobSubmission(
        new JobName(OPERATION, id(job), "acme", subject, "f" + job), "request " + job);
  }

  private SubmittedJob submit(int job, String subject) {
    return of(jobs.submit(RULE, submission(job, subject)));
  }

  private ClaimedJobs claim() {
    return of(jobs.claim(OPERATION, RULE, "n:" + ++claims, List.of(), new Wanted(1_000_000, 0, 1)));
  }

  private void move(int job, JobMove move) {
    of(jobs.move(OPERATION, RULE, id(job), "", 0, move));
  }

  @Test
  void aBusyQueueHasNone() {
    assertThat(connections.sync().hgetall(key(OPERATION, "counts")))
        .contains(Map.entry("jobs:acme/k2", "4"), Map.entry("jobs:acme/k1", "1"));
    proof.requireNone();
  }

  @Test
  void damagedCountersAreRepaired() {
    proof.requireRepairedFields("counts", key(OPERATION, "counts"), "", "checks:acme/k9");
  }

  @Test
  void jobsMissingInTheirSetsArePutBack() {
    for (String set : List.of("waiting", "dispatch", "checking", "running", "ends")) {
      proof.requireRestored(set, key(OPERATION, set));
      proof.requireRemovedStranger(set, key(OPERATION, set));
    }
  }

  @Test
  void aKeyThatWasLockedOutByDriftHasItsPlacesAgain() {
    connections.sync().hincrby(key(OPERATION, "counts"), "jobs:acme/k1", 3);
    assertThat(submit(7, "k1")).isInstanceOf(SubmittedJob.Full.class);
    proof.compare(true);
    assertThat(submit(7, "k1")).isInstanceOf(SubmittedJob.Taken.class);
    proof.requireNone();
  }

  @Test
  void aRepairNeverRaisesALimit() {
    connections.sync().hdel(key(OPERATION, "counts"), "jobs:acme/k2");
    proof.compare(true);
    assertThat(submit(7, "k2")).isInstanceOf(SubmittedJob.Full.class);
  }

  @Test
  void aLostJobIsDoneAfterItsRepair() {
    connections.sync().zrem(key(OPERATION, "waiting"), id(5));
    proof.compare(true);
    move(4, JobMove.to(JobState.READY));
    assertThat(claim().work())
        .hasSize(1)
        .allMatch(work -> work.job().name().id().equals(id(5)));
    assertThat(
            of(jobs.look(OPERATION, id(5), "")).orElseThrow().job().progress().state())
        .isEqualTo(JobState.CHECKING);
  }

  @Test
  void aLongQueueIsOnlyNamed() {
    connections.sync().hincrby(key(OPERATION, "counts"), "jobs:acme/k1", 3);
    var comparison = JobDrift.CHECK
        .compare(connections, OPERATION, JobDrift.times(RULE), 4, true)
        .join();
    assertThat(comparison.isCompared()).isFalse();
    assertThat(comparison.drifts()).isEmpty();
    assertThat(proof.compare(false).drifts()).hasSize(1);
  }
}
