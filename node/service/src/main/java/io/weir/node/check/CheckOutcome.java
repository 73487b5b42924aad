package io.weir.node.check;

import io.weir.core.decision.Decision;
import io.weir.node.admission.UnlistedOperation;
import io.weir.node.answer.ProblemDetails;
import java.util.Optional;

/** The outcome of one check. */
sealed interface CheckOutcome {
  /**
   * A decision.
   *
   * @param unlisted the operation, if the decision is that the plan does not limit it
   */
  record Decided(Decision decision, Optional<UnlistedOperation> unlisted) implements CheckOutcome {}

  /** No decision. */
  record Failed(ProblemDetails problem) implements CheckOutcome {}
}
