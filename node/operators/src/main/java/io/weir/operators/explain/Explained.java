package io.weir.operators.explain;

import io.weir.core.decision.Decision;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The facts of an explanation. Immutable.
 *
 * @param policy that is in force
 * @param decision that a newcomer would get; empty if the shared state does not answer
 * @param now Redis's time
 * @param states the states of the owners in words, by their keys in Redis
 * @param holders who holds permits, by the limit
 */
record Explained(
    Subject subject,
    String operation,
    long cost,
    Policy policy,
    Optional<Decision> decision,
    Instant now,
    Map<String, Map<String, String>> states,
    Map<String, List<Holder>> holders) {

  /** A request that holds a permit. */
  record Holder(String id, Instant until) {}
}
