package io.weir.node.admin;

import io.vertx.core.Future;
import io.weir.core.policy.Policy;

/** Finds the subjects outside of the policy that another policy would leave without their limits. */
@FunctionalInterface
public interface Stranding {
  /** For nodes whose subjects are all in the policy. */
  Stranding NONE = (current, candidate) -> Future.succeededFuture(StrandedRecords.NONE);

  /**
   * Counts the records whose limits the candidate lacks and the policy in force has. Reads a bounded number of records,
   * and completes on the caller's event loop.
   */
  Future<StrandedRecords> by(Policy current, Policy candidate);

  /** The same, without a look at the records if the candidate keeps all names, as most changes do. */
  default Future<StrandedRecords> ofChange(Policy current, Policy candidate) {
    return candidate.keepsNamesOf(current)
        ? Future.succeededFuture(StrandedRecords.NONE)
        : by(current, candidate);
  }
}
