package io.weir.node.auth;

import io.vertx.core.Future;
import io.weir.core.policy.Authenticator;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.core.throttle.PolicySource;
import java.util.Optional;

/**
 * Finds the subjects of API keys: in the policy, which comes first, then in a directory. Safe for use by many threads.
 */
public record KeyLookup(PolicySource policies, Directory directory) {
  /** The policy in force. */
  public Policy policy() {
    return policies.current().policy();
  }

  /** The subject of a key, see {@link Directory#ofKey}. */
  public Future<Optional<Subject>> ofKey(String shown, Optional<String> address) {
    Optional<Subject> listed = Authenticator.authenticate(shown, policy());
    // A wrong secret of an id that the policy lists is looked for, too: the time must not reveal
    // it.
    return listed.isPresent() ? Future.succeededFuture(listed) : directory.ofKey(shown, address);
  }
}
