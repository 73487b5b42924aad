package io.weir.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.PolicyRevision;
import io.weir.core.throttle.JointThrottle;
import io.weir.core.throttle.PolicySource;
import io.weir.core.throttle.Throttle;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.node.admission.Witness.Question;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.trace.Tracing;
import io.weir.state.document.PolicyDocuments;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DebtsTest {
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriodMs: 10000, throttleGroups: [{ opsPerSec: 1, operations: [Ping] }] }
      subjects:
        k1: { tenant: acme }
        k2: { tenant: acme }
      """;

  private final Vertx vertx = Vertx.vertx();
  private final ManualClock clock = new ManualClock();
  private final PolicyRevision policy =
      new PolicyRevision(1, PolicyDocuments.parse("test", POLICY).policy());
  private final Throttle throttle =
      new Throttle(new InMemoryBucketStore(clock), new Source(policy));
  private final JointThrottle noJoint = new JointThrottle(
      joint -> CompletableFuture.failedFuture(new IllegalStateException("none of several")),
      new Source(policy));
  private final Debts debts = new Debts(
      vertx, new Decider(throttle, noJoint, new NodeMetrics(), Tracing.NONE, Witness.NONE));

  private record Source(PolicyRevision current) implements PolicySource {
    @Override
    public CompletionStage<PolicyRevision> reload(long seenRevision) {
      return CompletableFuture.completedFuture(current);
    }
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void aKeyOwesAHundredOnTheWholeNodeAndOthersAreNotTouched() {
    VertxInternal inside = (VertxInternal) vertx;
    List<Context> loops = List.of(inside.createEventLoopContext(), inside.createEventLoopContext());
    Denied later = denied(Duration.ofHours(1));
    for (int i = 0; i < 100; i++) {
      assertThat(debts.tryOwe(loops.get(i % 2), ping("k1", 1), later)).isTrue();
    }
    assertThat(debts.tryOwe(loops.get(0), ping("k1", 1), later)).isFalse();
    assertThat(debts.tryOwe(loops.get(1), ping("k1", 1), later)).isFalse();
    assertThat(debts.tryOwe(loops.get(0), ping("k2", 1), later)).isTrue();
  }

  @Test
  void aDebtIsCountedOnceItsSlotHasCome() {
    Context loop = ((VertxInternal) vertx).createEventLoopContext();
    assertThat(debts.tryOwe(loop, ping("k1", 3), denied(Duration.ofMillis(1)))).isTrue();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> throttle
                .peek("k1", "Ping", 1)
                .toCompletableFuture()
                .join()
                .limits()
                .get(0)
                .remaining()
            == 7);
  }

  private static Denied denied(Duration wait) {
    return new Denied(
        1, List.of(), List.of("requests"), wait.toNanos() / 1000, true, Optional.empty());
  }

  private Question ping(String key, long cost) {
    return new Question(policy.policy().subject(key).orElseThrow(), "Ping", cost);
  }
}
