package io.weir.operators.top;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.KindDemand;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Plan;
import io.weir.node.admission.Witness.Question;
import java.util.Optional;

/** Whose limits are. */
public final class LimitScope {
  private LimitScope() {}

  /**
   * The scope of a limit of a request, by its name: also of one that is decided in audit mode. Empty if the plan has no
   * such limit for the operation.
   */
  public static Optional<Scope> of(Question question, String limit) {
    Plan plan = question.subject().plan();
    return of(plan, question.operation(), limit)
        .or(() -> plan.audited().flatMap(audited -> of(audited, question.operation(), limit)))
        .or(() -> ReasonCode.isOfTenant(limit) ? Optional.of(Scope.TENANT) : Optional.empty());
  }

  private static Optional<Scope> of(Plan plan, String operation, String limit) {
    if (plan.limit(operation) instanceof Limited limited) {
      for (Demand demand : limited.demands()) {
        if (demand.bucket().name().equals(limit)) {
          return Optional.of(demand.bucket().scope());
        }
      }
      for (KindDemand other : limited.others()) {
        if (other.name().equals(limit)) {
          return Optional.of(other.scope());
        }
      }
    }
    return Optional.empty();
  }
}
