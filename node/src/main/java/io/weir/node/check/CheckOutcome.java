package io.weir.node.check;

import io.weir.core.decision.Decision;
import io.weir.node.answer.ProblemDetails;

/** The outcome of one check. */
sealed interface CheckOutcome {
  /** A decision. */
  record Decided(Decision decision) implements CheckOutcome {}

  /** No decision. */
  record Failed(ProblemDetails problem) implements CheckOutcome {}
}
