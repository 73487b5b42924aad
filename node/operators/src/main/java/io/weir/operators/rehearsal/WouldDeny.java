package io.weir.operators.rehearsal;

import io.weir.core.decision.Decision;
import io.weir.node.admission.Witness.Question;
import io.weir.operators.top.LimitName;
import java.util.Optional;

/** Hears of requests that passed and would have been denied. Called on the event loop that served them. */
public interface WouldDeny {
  /**
   * A request that would have been denied.
   *
   * @param decision by the limits that are not enforced; the enforced one if those deny the operation or the key whatever
   *     was used
   * @param by the first limit without room, or the reason
   * @param trace of the request
   */
  record Found(Question question, Decision decision, LimitName by, Optional<String> trace) {}

  /** Hears of one. */
  void found(Found found);
}
