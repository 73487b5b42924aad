package io.weir.jobs.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.throttle.Ending;
import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobCharge;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobOwner;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.JobStore;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.JobTask;
import io.weir.jobs.rule.JobWork;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.rule.SubmittedJob.Awaited;
import io.weir.jobs.rule.SubmittedJob.Full;
import io.weir.jobs.rule.SubmittedJob.Known;
import io.weir.jobs.rule.SubmittedJob.Other;
import io.weir.jobs.rule.SubmittedJob.Placed;
import io.weir.jobs.rule.SubmittedJob.QueueFull;
import io.weir.jobs.rule.SubmittedJob.Taken;
import io.weir.testkit.ManualClock;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The promises of every {@link JobStore}. The test class of a store only makes the store. */
abstract class JobStoreContract {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3600 * SECOND;
  private static final long LEASE = 10 * SECOND;
  private static final long HORIZON = 200_000;
  private static final long INTERVAL = 100_000;
  private static final String OPERATION = "op";
  private static final String A = "node-a";
  private static final String B = "node-b";

  private final ManualClock clock = new ManualClock();
  private final Map<JobParameter, Long> values = new EnumMap<>(JobParameter.class);
  private final Map<String, String> claims = new HashMap<>();
  private @Nullable JobStore made;
  private boolean isDual;
  private int numbers;

  /** Makes an empty store on this clock. */
  abstract JobStore emptyStore(ManualClock clock);

  @BeforeEach
  void makeStore() {
    made = emptyStore(clock);
    values.put(JobParameter.DISPATCH_PER_SECOND, 10L);
    values.put(JobParameter.READINESS_CONCURRENCY, 2L);
  }

  private JobStore store() {
    return requireNonNull(made);
  }

  private JobRule rule() {
    Optional<String> path = isDual ? Optional.of("/ready") : Optional.empty();
    return new JobRule(
        values,
        new JobRule.Waits(false, true, List.of()),
        new JobRule.Protocol(path, false, Set.of(), Set.of()));
  }

  private static String id(int number) {
    return "%032x".formatted(number);
  }

  private static JobSubmission of(int number, String subject) {
    String request = "request " + number;
    return new JobSubmission(
        new JobName(OPERATION, id(number), "acme", subject, "f" + number), request);
  }

  private SubmittedJob submit(int number) {
    return submit(number, "k1");
  }

  private SubmittedJob submit(int number, String subject) {
    return store().submit(rule(), of(number, subject)).toCompletableFuture().join();
  }

  private SubmittedJob submit(int number, Placed place) {
    return store().submit(rule(), of(number, "k1"), place).toCompletableFuture().join();
  }

  private SubmittedJob keepPlace(int number) {
    return store().keepPlace(rule(), of(number, "k1")).toCompletableFuture().join();
  }

  private void release(int number, Placed place) {
    store().release(of(number, "k1"), place).toCompletableFuture().join();
  }

  private void take(int from, int through) {
    for (int i = from; i <= through; i++) {
      assertThat(submit(i)).isInstanceOf(Taken.class);
    }
  }

  private ClaimedJobs claim(String node, int most, String... unheard) {
    String claim = node + ":" + ++numbers;
    claims.put(node, claim);
    return store()
        .claim(OPERATION, rule(), claim, List.of(unheard), new JobStore.Wanted(HORIZON, 0, most))
        .toCompletableFuture()
        .join();
  }

  private static List<String> ids(ClaimedJobs claimed) {
    return claimed.work().stream().map(work -> work.job().name().id()).toList();
  }

  private static List<Long> delays(ClaimedJobs claimed) {
    return claimed.work().stream().map(JobWork::delayMicros).toList();
  }

  private static List<JobTask> tasks(ClaimedJobs claimed) {
    return claimed.work().stream().map(JobWork::task).toList();
  }

  /** By the last claim of a node; or by this claim, or by nobody. */
  private boolean move(int number, String by, JobMove move) {
    return moved(number, claims.getOrDefault(by, by), 0, move)
        .map(MovedJob::isMoved)
        .orElse(false);
  }

  private Optional<MovedJob> moved(int number, String by, long run, JobMove move) {
    return store()
        .move(OPERATION, rule(), id(number), by, run, move)
        .toCompletableFuture()
        .join();
  }

  private SeenJob look(int number) {
    return store()
        .look(OPERATION, id(number), "acme/k1")
        .toCompletableFuture()
        .join()
        .orElseThrow();
  }

  private JobState state(int number) {
    return look(number).job().progress().state();
  }

  private long position(int number) {
    return look(number).job().ahead().position().orElse(-1);
  }

  @Nested
  class Submitting {
    @Test
    void theSameRequestIsOneJobAndAnotherIsRefused() {
      take(1, 1);
      assertThat(submit(1)).isInstanceOf(Known.class);
      JobSubmission other =
          new JobSubmission(new JobName(OPERATION, id(1), "acme", "k1", "other"), "request");
      assertThat(store().submit(rule(), other).toCompletableFuture().join())
          .isInstanceOf(Other.class);
      claim(A, 1);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      assertThat(((Known) submit(1)).job().progress().state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aJobWithoutAnAnswerMayBeBegunAnew() {
      Job first = ((Taken) submit(1)).job();
      move(1, "", JobMove.to(JobState.CANCELLED));
      Job anew = ((Taken) submit(1)).job();
      assertThat(anew.progress().run()).isEqualTo(first.progress().run() + 1);
      assertThat(anew.times().story()).hasSize(1);
      claim(A, 1);
      assertThat(moved(1, "", first.progress().run(), JobMove.to(JobState.COMPLETED))
              .orElseThrow()
              .isMoved())
          .as("a step of its first run")
          .isFalse();
    }

    @Test
    void eachCallerOfAFullQueueGetsADifferentTime() {
      values.put(JobParameter.CAPACITY, 2L);
      take(1, 2);
      assertThat(submit(3)).isEqualTo(new Full(INTERVAL, JobOwner.ALL));
      assertThat(submit(4)).isEqualTo(new Full(2 * INTERVAL, JobOwner.ALL));
      assertThat(submit(2)).isInstanceOf(Known.class);
      claim(A, 1);
      take(3, 3);
    }

    @Test
    void theTimesOfAFullQueueAreBoundedHoweverManyComeAndShrinkAsTimePasses() {
      values.put(JobParameter.CAPACITY, 1L);
      values.put(JobParameter.MAX_WAIT, 30_000L);
      take(1, 1);
      for (int i = 2; i <= 1000; i++) {
        assertThat(waitOfFull(i)).isBetween(INTERVAL, 30 * SECOND);
      }
      long last = waitOfFull(2);
      assertThat(last).isGreaterThan(2 * SECOND);
      clock.advance(SECOND);
      assertThat(waitOfFull(2)).isEqualTo(last + INTERVAL - SECOND);
      clock.advance(30 * SECOND);
      assertThat(waitOfFull(2)).isEqualTo(INTERVAL);
    }

    private long waitOfFull(int number) {
      return ((Full) submit(number)).waitMicros();
    }

    @Test
    void aKeyAndATenantHaveTheirPartUntilTheirJobsEnd() {
      values.put(JobParameter.CAPACITY_OF_KEY, 2L);
      values.put(JobParameter.CAPACITY_OF_TENANT, 3L);
      take(1, 2);
      assertThat(submit(3)).isEqualTo(new Full(INTERVAL, JobOwner.KEY));
      assertThat(submit(4, "k2")).isInstanceOf(Taken.class);
      assertThat(submit(5, "k3")).isEqualTo(new Full(INTERVAL, JobOwner.TENANT));
      claim(A, 1);
      assertThat(submit(3)).isInstanceOf(Full.class);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      take(3, 3);
    }

    @Test
    void bytesAreBoundedByTheLongestResultAndThenByTheActualOne() {
      values.put(JobParameter.MAX_RESULT_BYTES, 3000L);
      long each = 9 + 500 + 4000 + 4096; // request, job, result in text, its headers
      values.put(JobParameter.BYTES_OF_KEY, 2 * each);
      take(1, 2);
      assertThat(submit(3)).isEqualTo(new QueueFull(JobOwner.KEY));
      claim(A, 1);
      move(1, A, JobMove.to(JobState.COMPLETED, "short"));
      assertThat(submit(3)).isEqualTo(new QueueFull(JobOwner.KEY));
      values.put(JobParameter.BYTES_OF_KEY, 2 * each + 505);
      take(3, 3);
    }
  }

  @Nested
  class Places {
    @Test
    void oneRequestOfAJobHasAPlaceAtATime() {
      Placed place = (Placed) keepPlace(1);
      assertThat(keepPlace(1)).isInstanceOf(Awaited.class);
      release(1, place);
      clock.advance(1);
      Placed again = (Placed) keepPlace(1);
      release(1, place);
      assertThat(keepPlace(1)).isInstanceOf(Awaited.class);
      assertThat(submit(1, again)).isInstanceOf(Taken.class);
      assertThat(keepPlace(1)).isInstanceOf(Known.class);
    }

    @Test
    void aPlaceCountsAndIsTakenWhateverCameSince() {
      values.put(JobParameter.CAPACITY, 2L);
      Placed place = (Placed) keepPlace(1);
      take(2, 2);
      assertThat(submit(3)).isInstanceOf(Full.class);
      assertThat(submit(1, place)).isInstanceOf(Taken.class);
      assertThat(submit(3)).isInstanceOf(Full.class);
    }

    @Test
    void thePlaceOfADeadNodeIsFreedAfterTenSeconds() {
      values.put(JobParameter.CAPACITY, 1L);
      keepPlace(1);
      clock.advance(LEASE - 1);
      claim(A, 0);
      assertThat(submit(2)).isInstanceOf(Full.class);
      clock.advance(SECOND);
      claim(A, 0);
      take(2, 2);
    }
  }

  @Nested
  class Sending {
    @Test
    void jobsAreSentInOrderEachAtItsMoment() {
      for (int i = 1; i <= 5; i++) {
        assertThat(((Taken) submit(i)).job().ahead().position()).hasValue(i - 1);
      }
      ClaimedJobs first = claim(A, 100);
      assertThat(ids(first)).containsExactly(id(1), id(2), id(3));
      assertThat(first.work().get(0).request()).isEqualTo("request 1");
      assertThat(delays(first)).containsExactly(0L, INTERVAL, 2 * INTERVAL);
      assertThat(first.nextMicros()).isEqualTo(3 * INTERVAL);
      clock.advance(150_000);
      ClaimedJobs second = claim(B, 100);
      assertThat(ids(second)).containsExactly(id(4));
      assertThat(delays(second)).containsExactly(150_000L);
      assertThat(position(5)).isZero();
      assertThat(position(4)).isEqualTo(-1);
    }

    @Test
    void aPauseGrantsNoBurst() {
      take(1, 1);
      claim(A, 100);
      clock.advance(HOUR / 60);
      take(2, 20);
      assertThat(claim(A, 100).work()).hasSize(3);
    }

    @Test
    void anotherRateCountsFromTheLastJob() {
      take(1, 20);
      claim(A, 100);
      values.put(JobParameter.DISPATCH_PER_SECOND, 20L);
      assertThat(claim(A, 100).work()).isEmpty();
      clock.advance(INTERVAL);
      assertThat(delays(claim(A, 100))).containsExactly(150_000L, 200_000L);
    }

    @Test
    void aClaimIsBoundedInBytes() {
      values.put(JobParameter.DISPATCH_PER_SECOND, 10_000L);
      for (int i = 1; i <= 6; i++) {
        JobSubmission large = new JobSubmission(
            new JobName(OPERATION, id(i), "acme", "k1", "f"), "x".repeat(300 << 10));
        store().submit(rule(), large).toCompletableFuture().join();
      }
      assertThat(claim(A, 100).work()).hasSize(4);
    }
  }

  @Nested
  class Checking {
    @BeforeEach
    void check() {
      isDual = true;
    }

    @Test
    void soManyAreCheckedAtOnceAndTheReadyOnesWaitInTheOrderOfTheirAnswers() {
      take(1, 4);
      ClaimedJobs checks = claim(A, 100);
      assertThat(ids(checks)).containsExactly(id(1), id(2));
      assertThat(tasks(checks)).containsOnly(JobTask.CHECK);
      assertThat(claim(B, 100).work()).isEmpty();
      clock.advance(300_000);
      assertThat(move(2, A, JobMove.to(JobState.READY))).isTrue();
      assertThat(move(2, A, JobMove.to(JobState.COMPLETED))).isFalse();
      clock.advance(700_000);
      move(1, A, JobMove.to(JobState.READY));
      assertThat(position(2)).isZero();
      assertThat(position(1)).isEqualTo(1);
      assertThat(look(1).job().ahead().queue().checkMicros())
          .as("a median of 300 ms moves up by a twentieth")
          .isEqualTo(315_000);
      assertThat(ids(claim(B, 100))).containsExactly(id(3), id(4), id(2), id(1));
      clock.advance(LEASE + SECOND);
      claim(A, 0);
      assertThat(state(3)).isEqualTo(JobState.QUEUED);
      assertThat(state(2)).isEqualTo(JobState.READY);
    }

    @Test
    void aKeyHasHalfOfTheChecksWhileOthersWait() {
      values.put(JobParameter.READINESS_CONCURRENCY, 4L);
      take(1, 6);
      submit(7, "k2");
      assertThat(ids(claim(A, 100))).containsExactly(id(1), id(2), id(7));
      move(2, A, JobMove.again());
      assertThat(position(2)).isEqualTo(4);
      assertThat(ids(claim(A, 100))).containsExactly(id(3));
      clock.advance(5 * SECOND);
      assertThat(ids(claim(A, 100))).containsExactly(id(4));
    }
  }

  @Nested
  class Leases {
    @Test
    void jobsOfADeadNodeGoBackToTheFrontInOrder() {
      take(1, 6);
      claim(A, 2);
      clock.advance(LEASE + INTERVAL);
      assertThat(claim(B, 0).overdue().givenBack()).isEqualTo(2);
      assertThat(position(1)).isZero();
      assertThat(position(2)).isEqualTo(1);
      assertThat(position(6)).isEqualTo(5);
      ClaimedJobs again = claim(B, 100);
      assertThat(ids(again)).startsWith(id(1), id(2), id(3));
      assertThat(again.work().get(0).job().progress().attempts()).isEqualTo(2);
      assertThat(renew(A, 1)).containsExactly(false);
      assertThat(move(1, A, JobMove.again())).isFalse();
    }

    private List<Boolean> renew(String node, int number) {
      return store()
          .renew(OPERATION, rule(), node, List.of(id(number)))
          .toCompletableFuture()
          .join();
    }

    @Test
    void aRenewedLeaseLastsFromTheRenewal() {
      take(1, 1);
      claim(A, 1);
      clock.advance(LEASE - 1);
      assertThat(renew(A, 1)).containsExactly(true);
      clock.advance(LEASE - 1);
      assertThat(claim(B, 0).overdue().givenBack()).isZero();
      clock.advance(1);
      assertThat(claim(B, 0).overdue().givenBack()).isEqualTo(1);
    }

    @Test
    void aJobFailsAfterItsAttempts() {
      values.put(JobParameter.ATTEMPTS, 2L);
      take(1, 1);
      for (int i = 0; i < 2; i++) {
        assertThat(claim(A, 1).work()).hasSize(1);
        clock.advance(LEASE);
      }
      assertThat(claim(B, 0).overdue().failed()).isEqualTo(1);
      assertThat(state(1)).isEqualTo(JobState.FAILED);
    }

    @Test
    void aClaimWhoseAnswerWasLostIsNoAttempt() {
      values.put(JobParameter.ATTEMPTS, 1L);
      take(1, 2);
      claim(A, 2);
      String unheard = A + ":" + numbers;
      clock.advance(5 * INTERVAL);
      assertThat(ids(claim(A, 2, unheard))).containsExactly(id(1), id(2));
      assertThat(look(1).job().progress().attempts()).isEqualTo(1);
      assertThat(move(1, unheard, JobMove.unsent())).isFalse();
    }
  }

  @Nested
  class Moving {
    @Test
    void theFirstResultCountsFromAnyNode() {
      take(1, 2);
      claim(A, 1);
      String late = A + ":" + numbers;
      clock.advance(LEASE);
      claim(B, 1);
      assertThat(move(1, late, JobMove.to(JobState.COMPLETED, "of a"))).isTrue();
      assertThat(move(1, B, JobMove.to(JobState.COMPLETED, "of b"))).isFalse();
      assertThat(look(1).result()).isEqualTo("of a");
      assertThat(move(2, late, JobMove.to(JobState.COMPLETED, "never sent"))).isFalse();
    }

    @Test
    void aJobThatWasNotSentIsNoAttemptAndOneThatWasIs() {
      values.put(JobParameter.ATTEMPTS, 1L);
      take(1, 1);
      claim(A, 1);
      assertThat(move(1, A, JobMove.unsent())).isTrue();
      clock.advance(INTERVAL);
      assertThat(claim(A, 1).work().get(0).job().progress().attempts()).isEqualTo(1);
      move(1, A, JobMove.again());
      assertThat(state(1)).isEqualTo(JobState.FAILED);
    }

    @Test
    void aJobWithAReceiptIsAskedForAndNotSentAgain() {
      take(1, 1);
      claim(A, 1);
      assertThat(move(1, A, JobMove.received("/r/1"))).isTrue();
      assertThat(move(1, A, JobMove.unsent())).isFalse();
      assertThat(claim(B, 100).work()).isEmpty();
      clock.advance(LEASE);
      JobWork asked = claim(B, 100).work().get(0);
      assertThat(asked.task()).isEqualTo(JobTask.ASK);
      assertThat(asked.job().progress().receipt()).contains("/r/1");
      assertThat(asked.job().progress().attempts()).isEqualTo(1);
      assertThat(move(1, A, JobMove.again())).isFalse();
      assertThat(move(1, B, JobMove.letGo())).isTrue();
      assertThat(claim(A, 0).work()).isEmpty();
      assertThat(tasks(claim(A, 1))).containsExactly(JobTask.ASK);
    }

    @Test
    void aJobTimesOutWhereverItIsAndIsForgottenLater() {
      isDual = true;
      values.put(JobParameter.TIMEOUT, 60_000L);
      values.put(JobParameter.KEEP, 60_000L);
      take(1, 3);
      claim(A, 100);
      move(1, A, JobMove.to(JobState.READY));
      clock.advance(60 * SECOND);
      assertThat(claim(B, 0).overdue().timedOut()).isEqualTo(3);
      assertThat(state(1)).isEqualTo(JobState.TIMED_OUT);
      assertThat(move(1, "", JobMove.to(JobState.CANCELLED))).isFalse();
      clock.advance(60 * SECOND);
      claim(B, 0);
      assertThat(moved(1, "", 0, JobMove.again())).isEmpty();
    }

    @Test
    void theStoryListsAllSteps() {
      take(1, 1);
      long start = clock.getAsLong();
      clock.advance(1000);
      claim(A, 1);
      clock.advance(1000);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      assertThat(look(1).job().times().story())
          .containsExactly(
              new Job.Step(JobState.QUEUED, start),
              new Job.Step(JobState.IN_FLIGHT, start + 1000),
              new Job.Step(JobState.COMPLETED, start + 2000));
    }

    @Test
    void pollsAreCountedUntilOneReturnsTheEnd() {
      take(1, 1);
      assertThat(look(1).job().polls()).isEqualTo(1);
      assertThat(look(1).job().polls()).isEqualTo(2);
      claim(A, 1);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      assertThat(look(1).job().polls()).isEqualTo(3);
      assertThat(look(1).job().polls()).isEqualTo(-1);
      assertThat(
              store().look(OPERATION, id(99), "acme/k1").toCompletableFuture().join())
          .isEmpty();
    }
  }

  /** What becomes of the charge of a job. */
  @Nested
  class Charges {
    private static final Ending BACK = new Ending.Cancelled();
    private static final Ending KEPT = new Ending.Settled(Ending.AS_RESERVED);

    private SubmittedJob submitCharged(int number, Placed place) {
      JobSubmission charged = of(number, "k1").charged(Optional.of("c" + number));
      return store().submit(rule(), charged, place).toCompletableFuture().join();
    }

    private void take(int number) {
      assertThat(submitCharged(number, (Placed) keepPlace(number))).isInstanceOf(Taken.class);
    }

    private void settled(List<JobSettlement> done) {
      store().settled(OPERATION, done).toCompletableFuture().join();
    }

    private List<JobSettlement> settlements() {
      return claim(B, 0).settlements();
    }

    private JobSettlement of(int number, Ending ending) {
      return new JobSettlement("c" + number, "acme", "k1", ending);
    }

    private JobSubmission of(int number, String subject) {
      return JobStoreContract.of(number, subject);
    }

    @Test
    void isGivenBackIfAWaitingJobIsCancelled() {
      take(1);
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, BACK));
    }

    @Test
    void isKeptIfAJobIsCancelledOnceItWasHandedOutToBeSent() {
      take(1);
      claim(A, 1);
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, KEPT));
    }

    @Test
    void isGivenBackIfAJobTimesOutBeforeItIsSent() {
      values.put(JobParameter.TIMEOUT, 5000L);
      take(1);
      clock.advance(5 * SECOND);
      assertThat(settlements()).containsExactly(of(1, BACK));
    }

    @Test
    void isKeptIfTheNodeOfTheLastAttemptDies() {
      values.put(JobParameter.ATTEMPTS, 1L);
      take(1);
      claim(A, 1);
      clock.advance(LEASE + SECOND);
      assertThat(settlements()).containsExactly(of(1, KEPT));
      assertThat(state(1)).isEqualTo(JobState.FAILED);
    }

    @Test
    void isKeptIfAJobIsCancelledThatWaitsAgainAfterItsNodeDied() {
      take(1);
      claim(A, 1);
      clock.advance(LEASE + SECOND);
      claim(B, 0);
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, KEPT));
    }

    @Test
    void isGivenBackIfNoAttemptReachedTheUpstream() {
      take(1);
      claim(A, 1);
      move(1, A, JobMove.unsent());
      clock.advance(SECOND);
      claim(A, 1);
      move(1, A, JobMove.again().with(Optional.of(BACK), false));
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, BACK));
    }

    @Test
    void isKeptIfAnAttemptMayHaveReachedTheUpstream() {
      take(1);
      claim(A, 1);
      move(1, A, JobMove.again());
      clock.advance(SECOND);
      ClaimedJobs again = claim(A, 1);
      assertThat(again.work().get(0).job().counted().charge()).contains(new JobCharge("c1", true));
      move(1, A, JobMove.again().with(Optional.of(BACK), false));
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, KEPT));
    }

    @Test
    void isWhatTheSenderOfTheEndSays() {
      take(1);
      take(2);
      claim(A, 2);
      Ending seven = new Ending.Settled(7);
      move(1, A, JobMove.to(JobState.COMPLETED, "done").with(Optional.of(seven), true));
      move(2, A, JobMove.to(JobState.FAILED, "no").with(Optional.of(BACK), false));
      assertThat(settlements()).containsExactly(of(1, seven), of(2, BACK));
    }

    @Test
    void isSettledByTheFirstEndOnly() {
      take(1);
      claim(A, 1);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      move(1, A, JobMove.to(JobState.COMPLETED, "done").with(Optional.of(BACK), false));
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).containsExactly(of(1, KEPT));
    }

    @Test
    void isHandedToOneNodeAtATimeUntilItIsCarriedOut() {
      take(1);
      move(1, "", JobMove.to(JobState.CANCELLED));
      assertThat(settlements()).isNotEmpty();
      assertThat(settlements()).isEmpty();
      clock.advance(10 * SECOND);
      List<JobSettlement> again = settlements();
      assertThat(again).containsExactly(of(1, BACK));
      settled(again);
      clock.advance(10 * SECOND);
      assertThat(settlements()).isEmpty();
    }

    @Test
    void isThatOfEachRunAlone() {
      take(1);
      move(1, "", JobMove.to(JobState.CANCELLED));
      JobSubmission anew = of(1, "k1").charged(Optional.of("c9"));
      Placed place = (Placed) keepPlace(1);
      assertThat(store().submit(rule(), anew, place).toCompletableFuture().join())
          .isInstanceOf(Taken.class);
      claim(A, 1);
      move(1, A, JobMove.to(JobState.COMPLETED, "done"));
      assertThat(settlements()).extracting(JobSettlement::hold).containsExactly("c9");
      clock.advance(10 * SECOND);
      assertThat(settlements()).extracting(JobSettlement::hold).containsExactly("c1", "c9");
    }

    @Test
    void isNotTakenWithAPlaceThatWasFreed() {
      Placed place = (Placed) keepPlace(1);
      release(1, place);
      assertThat(submitCharged(1, place)).isInstanceOf(Awaited.class);
      assertThat(submit(1, place)).isInstanceOf(Taken.class);
    }

    @Test
    void isShownWithTheJobWhoseChargeItIs() {
      Placed place = (Placed) keepPlace(1);
      submitCharged(1, place);
      SubmittedJob repeated = submitCharged(1, place);
      assertThat(repeated)
          .isInstanceOfSatisfying(
              Known.class,
              known ->
                  assertThat(known.job().counted().charge()).contains(new JobCharge("c1", false)));
    }
  }

  @Nested
  class SetBackClock {
    @Test
    void stopsNothing() {
      take(1, 2);
      claim(A, 1);
      clock.advance(-HOUR);
      assertThat(claim(B, 0).overdue().givenBack()).isZero();
      clock.advance(LEASE);
      assertThat(claim(B, 0).overdue().givenBack()).isEqualTo(1);
    }

    @Test
    void thatIsSetRightAgainEndsNoLeaseTooSoon() {
      take(1, 1);
      clock.advance(-HOUR);
      claim(A, 1);
      clock.advance(HOUR);
      assertThat(claim(B, 0).overdue().givenBack()).isZero();
      clock.advance(LEASE);
      assertThat(claim(B, 0).overdue().givenBack()).isEqualTo(1);
    }
  }
}
