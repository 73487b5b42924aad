package io.weir.core.throttle;

import io.weir.core.policy.PolicyRevision;
import java.util.concurrent.CompletionStage;

/** The source of the policy in force. Safe for use by many threads. */
public interface PolicySource {

  /** The newest policy known here. Never blocks. */
  PolicyRevision current();

  /**
   * Loads the policy that is in force for the cluster; concurrent calls share one load.
   *
   * @param seenRevision the newest revision known to have decided, 0 for none
   * @return completes with the policy, exceptionally with a {@link StoreUnavailableException} if it cannot be read
   */
  CompletionStage<PolicyRevision> reload(long seenRevision);
}
