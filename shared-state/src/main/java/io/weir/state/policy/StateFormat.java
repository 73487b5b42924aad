package io.weir.state.policy;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.Map;

/**
 * The version of the keys, fields and packed values in Redis. It is stored beside the policy, which every node reads when it
 * starts. A release reads the version that it writes and the one before, so that nodes are upgraded one after the other;
 * {@code docs/reference/stability.md}.
 */
public final class StateFormat {
  /** The version that this release writes, and the newest that it reads. */
  public static final int VERSION = 1;

  /** The field of the policy in Redis with the newest version that a node wrote; absent for 1. */
  static final String FIELD = "format";

  private StateFormat() {}

  /**
   * Requires that this release reads the state.
   *
   * @param policy the fields of the policy in Redis
   * @return these fields
   * @throws StoreUnavailableException that names both versions; waiting does not repair it
   */
  static Map<String, String> requireKnown(Map<String, String> policy) {
    String stored = policy.getOrDefault(FIELD, "1");
    if (!stored.matches("\\d{1,9}") || Integer.parseInt(stored) > VERSION) {
      throw new StoreUnavailableException(
          StoreFault.MISCONFIGURED,
          "the state in Redis has format %s, of a newer release of Weir (expected: %d at most): run that release, or use another database"
              .formatted(stored, VERSION),
          null);
    }
    return policy;
  }

  /** Whether an older format is stored than this release writes, or none. */
  static boolean isBehind(Map<String, String> policy) {
    return !policy.containsKey(FIELD)
        || Integer.parseInt(requireKnown(policy).getOrDefault(FIELD, "1")) < VERSION;
  }
}
