package io.weir.state.policy;

import io.weir.core.policy.Policy;
import io.weir.core.policy.SecretHash;
import io.weir.state.inspect.LimitLines;

/**
 * A policy as it is stored.
 *
 * @param revision 0 if nothing is stored
 * @param name the name in messages
 * @param text YAML or JSON
 * @param digest distinguishes two texts of one revision
 * @param bursts see {@link Bursts}
 * @param limits see {@link LimitLines}
 */
record PolicyText(
    long revision, String name, String text, String digest, String bursts, String limits) {

  static PolicyText of(long revision, String name, String text, Policy policy) {
    return new PolicyText(
        revision,
        name,
        text,
        SecretHash.of(text).formatted(),
        Bursts.of(policy),
        LimitLines.of(policy.allPlans()));
  }

  PolicyText withRevision(long other) {
    return new PolicyText(other, name, text, digest, bursts, limits);
  }
}
