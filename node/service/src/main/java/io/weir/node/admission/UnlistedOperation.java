package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.policy.Nearest;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.answer.ProblemDetails;
import java.util.Optional;

/**
 * An operation that a caller has named and that its plan does not limit.
 *
 * @param nearest the plan's operation that was probably meant, see {@link Nearest}; empty if the policy knows the operation
 */
public record UnlistedOperation(String name, Optional<String> nearest) {

  /** The operation, if the decision is that it has no limit. */
  public static Optional<UnlistedOperation> of(
      Policy policy, Subject subject, String operation, Decision decision) {
    boolean isUnlisted =
        decision instanceof NeverAllowed never && never.reason() == Reason.OPERATION_NOT_CONFIGURED;
    if (!isUnlisted) {
      return Optional.empty();
    }
    Optional<String> nearest =
        policy.rule(operation).isPresent() ? Optional.empty() : subject.plan().nearest(operation);
    return Optional.of(new UnlistedOperation(operation, nearest));
  }

  /** A refusal that names it. */
  public ProblemDetails in(ProblemDetails problem) {
    ProblemDetails named = problem.with("operation", name);
    return nearest.map(other -> named.with("nearest", other)).orElse(named);
  }
}
