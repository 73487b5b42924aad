package io.weir.node.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Permits;
import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.Held;
import io.weir.model.InMemoryBucketStore;
import io.weir.node.hold.Holds.LocalHold;
import io.weir.node.metrics.NodeMetrics;
import io.weir.state.document.PolicyDocuments;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Decisions of a node by itself: its share of permits, and the correction of estimates. */
final class HoldsTest {
  private static final Permits TEN = new Permits("streams", Scope.TENANT, 10, 1_000_000);

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  @Test
  void aloneANodeHasItsShareOfThePermitsAndAtLeastOne() {
    Holds holds =
        new Holds(vertx, new InMemoryBucketStore(() -> 1_000_000), new NodeMetrics(), () -> 3);
    Permits one = new Permits("one", Scope.KEY, 1, 1_000_000);
    holds.begin(held("k0", TEN));
    List<LocalHold> alone = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      holds.beginAlone(held("k" + i, TEN), List.of(TEN)).ifPresent(alone::add);
    }
    assertThat(alone).hasSize(2);
    assertThat(holds.beginAlone(held("k4", TEN), List.of(TEN))).isEmpty();
    assertThat(holds.beginAlone(held("k4", one), List.of(one))).isPresent();
    assertThat(holds.beginAlone(held("k4", one), List.of(one))).isEmpty();
    assertThat(holds.beginAlone(held("k5", one), List.of(one))).isPresent();
    holds.end(alone.get(0));
    assertThat(holds.beginAlone(held("k4", TEN), List.of(TEN))).isPresent();
  }

  @Test
  void aCallerThatReservesTooMuchIsCorrectedDownToABound() {
    CostEstimates estimates = new CostEstimates();
    Policy policy = PolicyDocuments.parse("p", """
        buckets: [{ name: a, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
        subjects: { k1: { tenant: acme }, k2: { tenant: acme } }
        """).policy();
    Subject k1 = policy.subject("k1").orElseThrow();
    SettleRule rule = new SettleRule(SettleRule.Source.OPENAI, "", 1_000_000, true, 20);
    assertThat(estimates.corrected(k1, "Ask", rule, 1000)).isEqualTo(1000);
    estimates.learn(k1, "Ask", rule, 1000, 200);
    assertThat(estimates.corrected(k1, "Ask", rule, 1000)).isEqualTo(900);
    for (int i = 0; i < 100; i++) {
      estimates.learn(k1, "Ask", rule, 1000, 10);
    }
    assertThat(estimates.corrected(k1, "Ask", rule, 1000)).isEqualTo(200);
    assertThat(estimates.corrected(k1, "Ask", rule, 1)).isEqualTo(1);
    assertThat(estimates.corrected(k1, "Other", rule, 1000)).isEqualTo(1000);
    assertThat(estimates.corrected(policy.subject("k2").orElseThrow(), "Ask", rule, 1000))
        .isEqualTo(1000);
    for (int i = 0; i < 100; i++) {
      estimates.learn(k1, "Ask", rule, 1000, 5000);
    }
    assertThat(estimates.corrected(k1, "Ask", rule, 1000)).isBetween(990L, 1000L);
  }

  private static Held held(String subject, Permits limit) {
    return new Held(
        "acme",
        subject,
        "id",
        false,
        1_000_000,
        List.of(new Held.Permit(limit.scope(), limit.name())));
  }
}
