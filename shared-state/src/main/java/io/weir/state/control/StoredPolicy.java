package io.weir.state.control;

import io.weir.policy.InvalidPolicyException;
import io.weir.throttle.StoreUnavailableException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the policy that is stored. One that cannot be read here, as a newer version of Weir may have written it, is read once and
 * not at each look: a long one takes seconds. Safe for use by many threads.
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
   * @param digest of the one that is expected there
   * @throws InvalidPolicyException where it cannot be read, now or before
   * @throws StoreUnavailableException where Redis does not answer
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
