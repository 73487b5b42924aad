package io.weir.node.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.Policy;
import io.weir.state.document.PolicyDocuments;
import java.util.List;
import java.util.Optional;
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
}
