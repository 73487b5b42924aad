package io.weir.operators.top;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Plan;
import io.weir.node.admission.Witness.Question;
import java.util.Optional;

/** Whose limits are, and of which kind, by the plan of the caller. */
public final class LimitScope {
  private LimitScope() {}

  private record Found(Kind kind, Scope scope) {}

  /**
   * The scope of a limit of a request, by its name: also of one that is decided in audit mode. Empty if the plan has no
   * such limit for the operation.
   */
  public static Optional<Scope> of(Question question, String limit) {
    return found(question, limit)
        .map(Found::scope)
        .or(() -> ReasonCode.isOfTenant(limit) ? Optional.of(Scope.TENANT) : Optional.empty());
  }

  /** Its kind; empty if the plan has no such limit for the operation. */
  public static Optional<Kind> kind(Question question, String limit) {
    return found(question, limit).map(Found::kind);
  }

  /** Whether it is a quota of the plan that only warns. */
  public static boolean isSoft(Plan plan, String limit) {
    return plan.kinds()
        .anyMatch(kind ->
            kind instanceof Quota quota && quota.isSoft() && quota.name().equals(limit));
  }

  private static Optional<Found> found(Question question, String limit) {
    Plan plan = question.subject().plan();
    return found(plan, question.operation(), limit)
        .or(() -> plan.audited().flatMap(audited -> found(audited, question.operation(), limit)));
  }

  private static Optional<Found> found(Plan plan, String operation, String limit) {
    if (plan.limit(operation) instanceof Limited limited) {
      for (Demand demand : limited.demands()) {
        if (demand.bucket().name().equals(limit)) {
          return Optional.of(new Found(Kind.RATE, demand.bucket().scope()));
        }
      }
      for (KindDemand other : limited.others()) {
        if (other.name().equals(limit)) {
          return Optional.of(new Found(other.kind(), other.scope()));
        }
      }
    }
    return Optional.empty();
  }
}
