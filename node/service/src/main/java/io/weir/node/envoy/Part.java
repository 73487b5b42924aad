package io.weir.node.envoy;

import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import io.weir.node.envoy.RateLimitResponse.NamedLimit;
import io.weir.node.envoy.rule.EnvoyRule;

/**
 * A descriptor with a limit, and all that are equal to it.
 *
 * @param hits of all of them; 0 only looks, below 0 is given back
 */
record Part(EnvoyRule rule, Subject subject, NamedLimit limit, long hits) {

  /** The same with more hits; more than any limit has stay so. */
  Part plus(long more) {
    long sum = hits + more;
    boolean isTooMuch = ((hits ^ sum) & (more ^ sum)) < 0;
    long most = hits > 0 ? Long.MAX_VALUE : -Long.MAX_VALUE;
    return new Part(rule, subject, limit, isTooMuch ? most : Math.max(sum, -Long.MAX_VALUE));
  }

  /** Whether it gives hits back. */
  boolean isRefund() {
    return hits < 0;
  }

  /** Whether it takes nothing: a look, or a limit of nothing. */
  boolean takesNothing() {
    return hits == 0 || limit.limit().requests() == 0;
  }

  /** The question for it; a look, or a refund, is answered as one hit would be. */
  Question question() {
    return new Question(subject, rule.name(), Math.max(1, hits));
  }
}
