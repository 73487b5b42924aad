package io.weir.operators.explain;

import io.weir.core.decision.Decision;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import java.time.Instant;
import java.util.Optional;

/**
 * The facts of an explanation. Immutable.
 *
 * @param policy that is in force
 * @param now Redis's time
 */
record Explained(Decided decided, Policy policy, Instant now, KeyStates keyStates) {

  /** @param decision that a newcomer would get; empty if the shared state does not answer */
  record Decided(Subject subject, String operation, long cost, Optional<Decision> decision) {}

  /** A request that holds a permit. */
  record Holder(String id, Instant until) {}
}
