package io.weir.node.check;

import io.weir.decision.Decision;
import io.weir.node.answer.ProblemDetails;

/** What became of one check. */
sealed interface Outcome {
  /** It was decided. */
  record Decided(Decision decision) implements Outcome {}

  /** Nothing could be decided. */
  record Failed(ProblemDetails problem) implements Outcome {}
}
