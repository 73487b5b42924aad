package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.node.admission.Witness.Question;
import io.weir.node.trace.Tracing.Attributes;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Describes decisions in traces. */
final class DecisionAttributes {
  private DecisionAttributes() {}

  static void describe(Question question, Decision decision, Attributes to) {
    to.put("weir.tenant", question.subject().tenant());
    to.put("weir.key", question.subject().id());
    to.put("weir.plan", question.subject().plan().name());
    to.put("weir.operation", question.subject().plan().tagOf(question.operation()));
    to.put("weir.cost", question.cost());
    to.put(
        "weir.outcome",
        decision.fold(allowed -> "allowed", denied -> "denied", never -> "never_allowed"));
    List<String> full = decision.fold(allowed -> List.of(), Denied::full, NeverAllowed::full);
    if (!full.isEmpty()) {
      to.put("weir.full", String.join(",", full));
    }
    if (decision instanceof Denied denied) {
      to.put("weir.retry_after_ms", TimeUnit.MICROSECONDS.toMillis(denied.retryAfterMicros()));
    }
    to.put("weir.degraded", decision.degraded());
    to.put("weir.revision", decision.revision());
  }
}
