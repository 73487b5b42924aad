package io.weir.node.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Policy;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.document.PolicyDocuments;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class NodeMetricsTest {
  private static final Policy POLICY = PolicyDocuments.parse("test", """
          buckets:
            - { name: five, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 5, operations: [Files] }] }
          subjects:
            k1: { tenant: acme, plan: default }
          """).policy();

  private final NodeMetrics metrics = new NodeMetrics();

  @Test
  void aCallerThatCameBeforeItsSlotIsCountedAlsoWhereNoBucketIsFull() {
    Denied early = new Denied(1, List.of(), List.of(), 1000, false, Optional.of("ticket"));
    metrics.decided(POLICY.subject("k1").orElseThrow().plan(), "Files", early);
    assertThat(metrics.scrape().lines())
        .anyMatch(line -> line.startsWith("throttle_decisions_total{")
            && line.contains("bucket=\"none\"")
            && line.contains("outcome=\"denied\""));
  }

  // Answers in no time would hide that Redis is slow.
  @Test
  void anAnswerThatTheNodeKnowsIsNoCallOfTheSharedState() {
    Decided denied = new Decided(Denied.degraded(1, List.of(), 1000), QueueReport.NONE);
    CompletableFuture<StoreAnswer> asked = new CompletableFuture<>();
    Queue<CompletableFuture<StoreAnswer>> answers =
        new ArrayDeque<>(List.of(CompletableFuture.completedFuture(denied), asked));
    BucketStore timed = new TimedBucketStore(new Answering(answers), metrics);
    Demand demand = Demand.of(new Bucket("five", Scope.KEY, 5000, 1000));
    Charge charge = new Charge("acme", "k1", 1, List.of(demand), 1);

    assertThat(timed.tryCharge(charge)).isCompletedWithValue(denied);
    assertThat(calls()).isZero();
    CompletionStage<StoreAnswer> told = timed.tryCharge(charge);
    asked.complete(denied);
    assertThat(told).isCompletedWithValue(denied);
    assertThat(calls()).isEqualTo(1);
  }

  private long calls() {
    return metrics.registry().get("throttle.store.latency").timer().count();
  }

  /** Gives these answers, in their order. */
  private record Answering(Queue<CompletableFuture<StoreAnswer>> answers) implements BucketStore {
    @Override
    public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
      return answers.remove();
    }

    @Override
    public CompletionStage<StoreAnswer> peek(Charge charge) {
      return answers.remove();
    }
  }
}
