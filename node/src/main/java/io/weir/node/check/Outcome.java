package io.weir.node.check;

import io.weir.core.decision.Decision;
import io.weir.node.answer.ProblemDetails;

/** The outcome of one check. */
sealed interface Outcome {
  /** A decision. */
  record Decided(Decision decision) implements Outcome {}

  /** No decision. */
  record Failed(ProblemDetails problem) implements Outcome {}
}
