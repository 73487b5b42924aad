package io.weir.state.policy;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.StoreUnavailableException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the stored policy. A policy that cannot be read here, for example from a newer version of Weir, is read once
 * and not at each look: a long one takes seconds. Safe for use by many threads.
 */
final class StoredPolicy {
  private final Supplier<PolicyText> stored;
  private final AtomicReference<@Nullable Refused> refused = new AtomicReference<>();

  /** @param stored the text with its revision and digest */
  StoredPolicy(Supplier<PolicyText> stored) {
    this.stored = stored;
  }

  /**
   * The policy in force.
   *
   * @param digest the expected digest
   * @throws InvalidPolicyException if the policy cannot be read, now or before
   * @throws StoreUnavailableException if Redis does not answer
   */
  Document read(String digest) {
    Refused before = refused.get();
    if (before != null && before.digest().equals(digest)) {
      throw before.why();
    }
    PolicyText text = stored.get();
    try {
      return Document.parse(text);
    } catch (InvalidPolicyException e) {
      refused.set(new Refused(text.digest(), e));
      throw e;
    }
  }

  private record Refused(String digest, InvalidPolicyException why) {}
}
