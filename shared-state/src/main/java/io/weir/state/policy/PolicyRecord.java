package io.weir.state.policy;

import io.weir.core.throttle.StoreUnavailableException;

/**
 * The policy as it is stored. Every method waits for Redis, and throws {@link StoreUnavailableException} if it does not
 * answer.
 */
interface PolicyRecord {
  /** The revision and the digest that are stored; the text is left out. */
  PolicyText stamp();

  /** The whole policy; its revision is 0 if none is stored. */
  PolicyText read();

  /** Stores a policy if the revision is still the expected one, and tells everybody; false if it is another one. */
  boolean replace(long expected, PolicyText policy, Edit edit);
}
