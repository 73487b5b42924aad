package io.weir.state.policy;

import io.weir.core.policy.schema.Problem;
import java.util.List;

/**
 * A policy that was put in force.
 *
 * @param revision of the policy in force
 * @param replaced the revision that was in force before; the same one if its text is the same
 * @param warnings problems that did not prevent it
 */
public record Publication(long revision, long replaced, List<Problem> warnings) {
  /** Whether this text was in force already, so that nothing has changed. */
  public boolean isUnchanged() {
    return revision == replaced;
  }
}
