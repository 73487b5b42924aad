package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.Held;
import io.weir.node.usage.Usage;
import io.weir.state.hold.HeldDecision;
import java.util.Optional;

/**
 * A request that passes. The code that forwards it must {@linkplain Admission#end end} it.
 *
 * @param decision as it is answered; a denial if the request continues an admitted one, and its cost is then a debt
 * @param holds what it holds until its end
 */
public record Admitted(CostedRequest request, Decision decision, HeldDecision holds)
    implements Ruling {
  /** The hold in the shared state, if any. */
  public Optional<Held> held() {
    return holds.held();
  }

  /** A new reader of the actual cost, if the request is settled by its answer. */
  public Optional<Usage> usage() {
    return holds.reserves() ? request.asked().settle().map(Usage::new) : Optional.empty();
  }
}
