package io.weir.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.admission.Witness.Question;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.WaitingRoom;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers that wait, on a manual clock: the timers are short, and the clock says when a slot has come. */
final class WaitingDeciderTest {
  // An operation in 20 ms.
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriodMs: 20, throttleGroups: [{ opsPerSec: 50, operations: [Ping] }] }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: acme }
      """;
  private static final long SLOT_MICROS = 20_000;
  private static final long LONG_MILLIS = 50_000;

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final ManualClock clock = new ManualClock();
  private final PolicyRevision policy =
      new PolicyRevision(1, PolicyDocuments.parse("test", POLICY).policy());
  private final WaitingRoom room = new WaitingRoom(vertx);
  private final Bulkhead held = new Bulkhead(3, 4, 5);
  private final AtomicInteger answered = new AtomicInteger();
  private final WaitingDecider decider =
      new WaitingDecider(context, decider(new Source(policy)), room, held);
  private final TestCaller caller = new TestCaller();

  private Decider decider(PolicySource policies) {
    return new Decider(
        new Throttle(new InMemoryBucketStore(clock), policies),
        new JointThrottle(
            joint -> CompletableFuture.failedFuture(new IllegalStateException("none")), policies),
        new NodeMetrics(),
        Tracing.NONE,
        new Witness() {
          @Override
          public Decision answered(Question question, Decision decision) {
            answered.incrementAndGet();
            return decision;
          }

          @Override
          public void undecided(Question question, Throwable error) {}
        });
  }

  private record Source(PolicyRevision current) implements PolicySource {
    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.completedFuture(current);
    }
  }

  /** A caller that the test lets hang up. Used on the event loop. */
  private static final class TestCaller implements WaitingRoom.Caller {
    private final List<Runnable> actions = new ArrayList<>();
    private boolean isGone;

    @Override
    public boolean isGone() {
      return isGone;
    }

    @Override
    public Runnable onGone(Runnable action) {
      actions.add(action);
      return () -> actions.remove(action);
    }

    void hangUp() {
      isGone = true;
      List.copyOf(actions).forEach(Runnable::run);
    }
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void aDeniedCallerIsHeldUntilItsSlotAndAnsweredOnce() throws Exception {
    Future<Decision> first = ask("k1", LONG_MILLIS);
    await().until(first::succeeded);
    Future<Decision> second = ask("k1", LONG_MILLIS);
    await().until(() -> held.taken() == 1);
    assertThat(second.isComplete()).isFalse();
    onLoop(() -> clock.advance(SLOT_MICROS));
    await().until(second::isComplete);
    assertThat(second.result()).isInstanceOf(Allowed.class);
    assertThat(held.taken()).isZero();
    assertThat(answered).hasValue(2);
    assertThat(caller.actions).isEmpty();
  }

  @Test
  void aSlotThatIsTooLateIsAnsweredAtOnce() throws Exception {
    await().until(ask("k1", 0)::succeeded);
    assertThat(denied(ask("k1", 5)).retryAfterMicros()).isGreaterThan(5_000);
    assertThat(denied(ask("k1", 0)).ticket()).isEmpty();
    assertThat(held.taken()).isZero();
  }

  @Test
  void aKeyAndATenantHoldABoundedNumber() throws Exception {
    await().until(ask("k1", 0)::succeeded);
    await().until(ask("k2", 0)::succeeded);
    for (int i = 0; i < 3; i++) {
      ask("k1", LONG_MILLIS);
    }
    await().until(() -> held.taken() == 3);
    assertThat(denied(ask("k1", LONG_MILLIS))).isNotNull();
    ask("k2", LONG_MILLIS);
    await().until(() -> held.taken() == 4);
    assertThat(denied(ask("k2", LONG_MILLIS))).isNotNull();
  }

  @Test
  void aCallerThatHangsUpIsHeldNoLonger() throws Exception {
    await().until(ask("k1", 0)::succeeded);
    Future<Decision> waiting = ask("k1", LONG_MILLIS);
    await().until(() -> held.taken() == 1);
    onLoop(caller::hangUp);
    await().until(waiting::isComplete);
    assertThat(waiting.cause()).hasMessage("the caller hung up");
    assertThat(held.taken()).isZero();
  }

  @Test
  void whoeverWaitsWhenTheRoomClosesGetsItsTicket() throws Exception {
    await().until(ask("k1", 0)::succeeded);
    Future<Decision> waiting = ask("k1", LONG_MILLIS);
    await().until(() -> held.taken() == 1);
    onLoop(room::close);
    assertThat(denied(waiting).ticket()).isPresent();
    assertThat(denied(ask("k1", LONG_MILLIS))).isNotNull();
    assertThat(held.taken()).isZero();
  }

  private Future<Decision> ask(String key, long waitMillis) throws Exception {
    Question question = new Question(policy.policy().subject(key).orElseThrow(), "Ping", 1);
    return onLoop(() -> decider.decide(question, TicketRequest.NONE, waitMillis, caller));
  }

  private static Denied denied(Future<Decision> decision) {
    await().until(decision::isComplete);
    assertThat(decision.result()).isInstanceOf(Denied.class);
    return (Denied) decision.result();
  }

  private void onLoop(Runnable action) throws Exception {
    onLoop(() -> {
      action.run();
      return action;
    });
  }

  private <T> T onLoop(Callable<T> action) throws Exception {
    CompletableFuture<T> done = new CompletableFuture<>();
    context.runOnContext(run -> {
      try {
        done.complete(action.call());
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
    });
    return done.get();
  }
}
