package io.weir.jobs.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.HoldStore;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobCharge;
import io.weir.jobs.rule.JobName;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.rule.SubmittedJob.Awaited;
import io.weir.jobs.rule.SubmittedJob.Placed;
import io.weir.jobs.rule.SubmittedJob.Taken;
import io.weir.jobs.store.RedisJobs;
import io.weir.node.loop.LoopTime;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.Holds;
import io.weir.state.testing.RedisFixture;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The charge of a job whose submission got no answer. */
@ExtendWith(RedisFixture.class)
final class JobChargesIT {
  private static final String OPERATION = "Charged";
  private static final JobRule RULE = JobRule.DEFAULT;
  private static final Future<SubmittedJob> NO_ANSWER =
      Future.failedFuture(new StoreUnavailableException(StoreFault.SLOW, "no answer", null));

  private static RedisConnections connections;
  private static Vertx vertx;
  private static int jobs;

  private final Queue<Ending> ends = new ConcurrentLinkedQueue<>();
  private RedisJobs store;
  private JobCharges charges;
  private Held held;
  private JobSubmission submission;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @BeforeEach
  void begin() {
    store = new RedisJobs(connections);
    Holds holds = new Holds(new LoopTime(vertx), new RecordedEnds(), Holds.Events.NONE, () -> 1);
    charges = new JobCharges(vertx, store, holds);
    String id = "%032x".formatted(++jobs);
    held = new Held("acme", "k1", "charge" + jobs, true, 60_000_000, List.of());
    submission = new JobSubmission(new JobName(OPERATION, id, "acme", "k1", "f"), "request")
        .charged(Optional.of(held.id()));
  }

  /** Ends holds at once, and remembers how. */
  private final class RecordedEnds implements HoldStore {
    @Override
    public CompletionStage<Ended> end(Held of, Ending ending) {
      ends.add(ending);
      return CompletableFuture.completedFuture(new Ended(Ended.Status.CANCELLED, false, 0));
    }

    @Override
    public CompletionStage<List<Boolean>> renew(List<Held> due) {
      return CompletableFuture.completedFuture(due.stream().map(one -> true).toList());
    }

    @Override
    public CompletionStage<Integer> expire() {
      return CompletableFuture.completedFuture(0);
    }
  }

  private static <T> T of(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private Placed place() {
    return (Placed) of(store.keepPlace(RULE, submission));
  }

  private Optional<Job> stored() {
    return of(store.see(OPERATION, submission.name().id(), ""));
  }

  @Test
  void aStoredJobKeepsItsCharge() {
    Placed place = place();
    assertThat(of(store.submit(RULE, submission, place))).isInstanceOf(Taken.class);
    charges.submitted(submission, place, held, NO_ANSWER);
    // Each look is answered after those before it.
    for (int i = 0; i < 10; i++) {
      assertThat(stored().flatMap(it -> it.counted().charge()))
          .contains(new JobCharge(held.id(), false));
    }
    assertThat(ends).isEmpty();
  }

  @Test
  void aStoredJobFreesItsPermitsAlone() {
    Placed place = place();
    SubmittedJob stored = of(store.submit(RULE, submission, place));
    charges.submitted(submission, place, withPermit(), Future.succeededFuture(stored));
    await().until(() -> !ends.isEmpty());
    assertThat(ends).containsExactly(new Ending.Released());
  }

  private Held withPermit() {
    List<Held.Permit> permits = List.of(new Held.Permit(Scope.KEY, "open"));
    return new Held(held.tenant(), held.subject(), held.id(), true, held.leaseMicros(), permits);
  }

  @Test
  void aJobThatWasNotStoredIsGivenItsChargeBackAndIsNeverStored() {
    Placed place = place();
    charges.submitted(submission, place, held, NO_ANSWER);
    await().until(() -> !ends.isEmpty());
    assertThat(ends).containsExactly(new Ending.Cancelled());
    assertThat(of(store.submit(RULE, submission, place))).isInstanceOf(Awaited.class);
    assertThat(stored()).isEmpty();
  }

  @Test
  void anotherChargeOfAStoredJobIsGivenBack() {
    Placed place = place();
    JobSubmission other = submission.charged(Optional.of("other"));
    assertThat(of(store.submit(RULE, other, place))).isInstanceOf(Taken.class);
    charges.submitted(submission, place, held, NO_ANSWER);
    await().until(() -> !ends.isEmpty());
    assertThat(ends).containsExactly(new Ending.Cancelled());
  }
}
