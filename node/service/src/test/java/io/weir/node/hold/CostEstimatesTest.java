package io.weir.node.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.Policy;
import io.weir.core.policy.SettleRule;
import io.weir.core.policy.Subject;
import io.weir.state.document.PolicyDocuments;
import org.junit.jupiter.api.Test;

/** The correction of estimated costs. */
final class CostEstimatesTest {
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
}
