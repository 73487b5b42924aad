package io.weir.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobOwner;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore.Wanted;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.Histories;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs in Redis, with a manual clock. */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class RedisJobsIT {
  private static final long START = 4_000_000_000_000_000L;
  private static final long HORIZON = 200_000;
  private static final String A = "node-a";
  private static final String B = "node-b";

  private static RedisConnections connections;
  private static int operations;

  private final Map<JobParameter, Long> values = new EnumMap<>(JobParameter.class);
  private long now;
  private RedisJobs jobs;
  private String operation;
  private boolean isDual;
  private int claims;
  private long givenBack;
  private final Map<String, String> holders = new HashMap<>();

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @BeforeEach
  void begin() {
    now = START;
    operation = "op" + operations++;
    jobs = new RedisJobs(connections, StoreClock.of(() -> now));
    values.put(JobParameter.DISPATCH_PER_SECOND, 10L);
    values.put(JobParameter.READINESS_CONCURRENCY, 2L);
  }

  private JobRule rule() {
    return new JobRule(
        values,
        new JobRule.Waits(false, true, List.of()),
        new JobRule.Protocol(
            isDual ? Optional.of("/ready") : Optional.empty(), false, Set.of(), Set.of()));
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static String id(int number) {
    return "%032x".formatted(number);
  }

  private JobSubmission submission(int number, String subject) {
    return new JobSubmission(
        new JobName(operation, id(number), "acme", subject, "f" + number), "request " + number);
  }

  private SubmittedJob submit(int number) {
    return of(jobs.submit(rule(), submission(number, "k1")));
  }

  private Job taken(int number) {
    return ((SubmittedJob.Taken) submit(number)).job();
  }

  private ClaimedJobs claim(String node, int most) {
    return claim(node, most, List.of());
  }

  private ClaimedJobs claim(String node, int most, List<String> unheard) {
    String claim = node + ":" + ++claims;
    ClaimedJobs claimed =
        of(jobs.claim(operation, rule(), claim, unheard, new Wanted(HORIZON, 0, most)));
    ids(claimed).forEach(id -> holders.put(node + id, claim));
    givenBack += claimed.overdue().givenBack();
    return claimed;
  }

  private MovedJob move(int number, String by, JobMove move) {
    return move(id(number), by, move);
  }

  private MovedJob move(String id, String by, JobMove move) {
    String claim = holders.getOrDefault(by + id, by);
    return of(jobs.move(operation, rule(), id, claim, 0, move)).orElseThrow();
  }

  private SeenJob look(int number) {
    return of(jobs.look(operation, id(number), "acme/k1")).orElseThrow();
  }

  private JobState state(int number) {
    return look(number).job().progress().state();
  }

  private static List<String> ids(ClaimedJobs claimed) {
    return claimed.work().stream().map(work -> work.job().name().id()).toList();
  }

  @Test
  void aSlowRateOfBeforeHoldsUpNothingOnceItIsFast() {
    values.put(JobParameter.DISPATCH_PER_SECOND, 1L);
    values.put(JobParameter.CAPACITY, 2L);
    taken(1);
    taken(2);
    for (int i = 0; i < 100; i++) {
      submit(3);
    }
    claim(A, 1);
    values.put(JobParameter.DISPATCH_PER_SECOND, 100L);
    values.put(JobParameter.CAPACITY, 1L);
    assertThat(((SubmittedJob.Full) submit(3)).waitMicros()).isEqualTo(20_000);
    assertThat(claim(A, 100).work().stream().map(JobWork::delayMicros)).containsExactly(10_000L);
  }

  @Test
  void aClockThatIsSetBackStopsNothing() {
    isDual = true;
    for (int i = 1; i <= 4; i++) {
      taken(i);
    }
    claim(A, 2);
    move(1, A, JobMove.to(JobState.READY));
    claim(A, 1);
    now -= 3_600_000_000L;
    // Ready jobs are sent, the lease of a dead node ends, and a job times out, at the same times as
    // without the change.
    move(2, A, JobMove.to(JobState.READY));
    now += 100_000;
    assertThat(claim(B, 100).work()).extracting(JobWork::task).contains(JobTask.SEND);
    now += 10_000_000;
    assertThat(claim(B, 0).overdue().givenBack()).isPositive();
    values.put(JobParameter.TIMEOUT, 1_800_000L);
    long timedOut = 0;
    for (int i = 0; i < 360; i++) {
      now += 5_000_000;
      timedOut += claim(B, 0).overdue().timedOut();
    }
    assertThat(timedOut).isEqualTo(4);
    assertThat(look(3).job().elapsedMillis()).isEqualTo(1_810_100);
  }

  @Test
  void thePlaceOfADeadNodeIsFreedInTime() {
    values.put(JobParameter.CAPACITY, 1L);
    placed(1);
    assertThat(submit(2)).isInstanceOf(SubmittedJob.Full.class);
    now += 10_000_001;
    assertThat(keepPlace(1)).isInstanceOf(SubmittedJob.Placed.class);
    now += 10_000_001;
    claim(A, 0);
    assertThat(submit(2)).isInstanceOf(SubmittedJob.Taken.class);
    move(2, "", JobMove.to(JobState.CANCELLED));
    now += rule().micros(JobParameter.KEEP) + 1;
    claim(A, 0);
    assertThat(connections.sync().hgetall(JobKeys.of(operation).get(9))).isEmpty();
  }

  private SubmittedJob keepPlace(int number) {
    return of(jobs.keepPlace(rule(), submission(number, "k1")));
  }

  private SubmittedJob.Placed placed(int number) {
    return (SubmittedJob.Placed) keepPlace(number);
  }

  @Test
  void jobsOfADeadNodeGoBackToTheFront() {
    for (int i = 1; i <= 6; i++) {
      taken(i);
    }
    claim(A, 2);
    assertThat(look(6).job().ahead().position()).hasValue(3);
    now += 5_000_000;
    assertThat(of(jobs.renew(operation, rule(), A, List.of(id(1), id(2)))))
        .containsExactly(true, true);
    now += 9_000_000;
    assertThat(claim(B, 0).overdue().givenBack()).isZero();
    now += 1_000_001;
    assertThat(claim(B, 0).overdue().givenBack()).isEqualTo(2);
    // The position and the eta count the same jobs.
    assertThat(look(6).job().ahead().position()).hasValue(5);
    assertThat(look(6).job().etaMillis(rule()))
        .isEqualTo(5 * 100
            + rule().value(JobParameter.PROCESSING_TIME)
            + rule().value(JobParameter.DISPATCH_TIME));
    assertThat(look(2).job().ahead().position()).hasValue(1);
    now += 1_000_000;
    ClaimedJobs again = claim(B, 100);
    assertThat(ids(again)).startsWith(id(1), id(2), id(3));
    assertThat(again.work().get(0).job().progress().attempts()).isEqualTo(2);
    assertThat(of(jobs.renew(operation, rule(), A, List.of(id(1))))).containsExactly(false);
    assertThat(move(1, A, JobMove.again()).isMoved()).isFalse();
  }

  @Test
  void bytesAreBoundedForKeyTenantAndAll() {
    // Each has its request of 9 bytes, 500 for itself, and 4/3 of the longest result with 4096 for
    // its headers.
    values.put(JobParameter.MAX_RESULT_BYTES, 3000L);
    long each = 9 + 500 + 4000 + 4096;
    values.put(JobParameter.BYTES_OF_KEY, 2 * each + each / 2);
    values.put(JobParameter.BYTES_OF_TENANT, 3 * each + each / 2);
    taken(1);
    taken(2);
    assertThat(submit(3)).isEqualTo(new SubmittedJob.QueueFull(JobOwner.KEY));
    assertThat(of(jobs.submit(rule(), submission(4, "k2")))).isInstanceOf(SubmittedJob.Taken.class);
    assertThat(of(jobs.submit(rule(), submission(5, "k3"))))
        .isEqualTo(new SubmittedJob.QueueFull(JobOwner.TENANT));
    // After the result is known, only the result counts.
    claim(A, 1);
    move(1, A, JobMove.to(JobState.COMPLETED, "short"));
    assertThat(submit(3)).isInstanceOf(SubmittedJob.Taken.class);
    for (int i = 2; i <= 4; i++) {
      move(i, "", JobMove.to(JobState.CANCELLED));
    }
    now += rule().micros(JobParameter.KEEP) + 1;
    claim(A, 0);
    assertThat(connections.sync().hgetall(JobKeys.of(operation).get(9))).isEmpty();
    assertThat(
            connections.sync().exists(JobKeys.of(operation).subList(1, 12).toArray(String[]::new)))
        .isZero();
  }

  @Test
  void aJobFarBehindManyOfOneKeyIsFound() {
    isDual = true;
    values.put(JobParameter.READINESS_CONCURRENCY, 10L);
    values.put(JobParameter.MAX_RESULT_BYTES, 100L);
    for (int i = 1; i <= 950; i++) {
      taken(i);
    }
    of(jobs.submit(rule(), submission(999, "k2")));
    assertThat(claim(A, 9).work()).hasSize(9);
    Set<String> handedOut = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      for (JobWork work : claim(A, 100).work()) {
        handedOut.add(work.job().name().id());
        move(work.job().name().id(), A, JobMove.again());
      }
      now += 51_000;
    }
    assertThat(handedOut).contains(id(999));
  }

  @Test
  void theNotesOfNodesThatAreGoneAreForgotten() {
    taken(1);
    claim("gone", 1);
    assertThat(notes()).containsExactly("claim:gone");
    for (int i = 2; i <= 6; i++) {
      now += 3_600_000_000L;
      taken(i);
      claim(B, 1);
    }
    assertThat(notes()).containsExactly("claim:" + B);
  }

  private List<String> notes() {
    return connections.sync().hgetall(JobKeys.of(operation).get(0)).keySet().stream()
        .filter(field -> field.startsWith("claim:"))
        .toList();
  }

  @Test
  void aJobTakenFromANodeMayStillBeAnswered() {
    taken(1);
    claim(A, 1);
    now += 11_000_000;
    claim(B, 0);
    assertThat(state(1)).isEqualTo(JobState.QUEUED);
    assertThat(move(1, A, JobMove.to(JobState.COMPLETED, "late")).isMoved()).isTrue();
    assertThat(look(1).result()).isEqualTo("late");
    taken(2);
    assertThat(move(2, "node-c", JobMove.to(JobState.COMPLETED, "never sent")).isMoved())
        .isFalse();
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Histories.count(2, 4));
  }

  // Nodes die at any time, callers cancel, the clock is set back: in all cases each job ends once,
  // waiting jobs fall back by at most the number given back to the front, never too many are
  // checked, and jobs are never sent faster than the rate.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noJobIsLostAndNoneFallsBackByMoreThanIsGivenBack(long seed) {
    Random random = new Random(seed);
    isDual = seed % 2 == 0;
    values.put(JobParameter.ATTEMPTS, 20L);
    values.put(JobParameter.MAX_RESULT_BYTES, 100L);
    values.put(JobParameter.TIMEOUT, 3_600_000L);
    Map<String, Long> positions = new HashMap<>();
    Map<Integer, JobState> ends = new HashMap<>();
    Map<String, JobTask> held = new HashMap<>();
    Set<Integer> all = new HashSet<>();
    List<Long> sends = new ArrayList<>();
    int steps = Histories.count(1000, 3000);
    for (int step = 0; step < steps; step++) {
      now += random.nextInt(50_000);
      int what = random.nextInt(10);
      if (what < 3 && step < steps / 2) {
        all.add(step);
        taken(step);
      } else if (what < 6) {
        for (JobWork work : claim(random.nextBoolean() ? A : B, 5).work()) {
          held.put(work.job().name().id(), work.task());
          if (work.task() == JobTask.SEND) {
            sends.add(now + work.delayMicros());
          }
        }
        assertThat(claim(A, 0).queue().checking()).isLessThanOrEqualTo(2);
      } else if (what < 9) {
        finishOne(random, held);
      } else if (random.nextInt(20) == 0) {
        held.clear(); // a node dies
        now += 10_500_000;
      } else if (random.nextInt(10) == 0 && !all.isEmpty()) {
        move(all.iterator().next(), "", JobMove.to(JobState.CANCELLED));
      }
      findFallenBack(all, positions, ends);
    }
    for (int i = 0; ends.size() < all.size() && i < 5000; i++) {
      now += 100_000;
      claim(A, 100).work().forEach(work -> held.put(work.job().name().id(), work.task()));
      while (!held.isEmpty()) {
        finishOne(random, held);
      }
      findFallenBack(all, positions, ends);
    }
    assertThat(ends.keySet()).isEqualTo(all);
    for (int i = 1; i < sends.size(); i++) {
      assertThat(sends.get(i) - sends.get(i - 1)).isGreaterThanOrEqualTo(100_000);
    }
  }

  private void finishOne(Random random, Map<String, JobTask> held) {
    if (held.isEmpty()) {
      return;
    }
    String id = held.keySet().iterator().next();
    JobTask task = held.remove(id);
    JobMove next = random.nextInt(10) == 0
        ? JobMove.again()
        : task == JobTask.CHECK
            ? JobMove.to(JobState.READY)
            : JobMove.to(JobState.COMPLETED, "done");
    for (String node : List.of(A, B)) {
      move(id, node, next);
    }
  }

  // A position is counted from the job's entry into its queue.
  private void findFallenBack(
      Set<Integer> all, Map<String, Long> positions, Map<Integer, JobState> ends) {
    List<Integer> open =
        all.stream().filter(number -> !ends.containsKey(number)).toList();
    if (open.isEmpty()) {
      return;
    }
    List<Optional<SeenJob>> seen =
        of(jobs.look(operation, open.stream().map(RedisJobsIT::id).toList()));
    for (int i = 0; i < open.size(); i++) {
      Job job = seen.get(i).orElseThrow().job();
      int number = open.get(i);
      if (job.progress().state().isEnd()) {
        ends.put(number, job.progress().state());
      }
      if (job.ahead().position().isPresent()) {
        long position = job.ahead().position().getAsLong() - givenBack;
        Long before = positions.put(number + "@" + job.times().sinceMicros(), position);
        assertThat(position)
            .as("the position of job %d", number)
            .isLessThanOrEqualTo(before == null ? Long.MAX_VALUE : before);
      }
    }
  }
}
