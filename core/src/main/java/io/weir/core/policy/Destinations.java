package io.weir.core.policy;

import java.util.Optional;

/** The destinations of a policy that have names. */
public interface Destinations {
  /** The destinations of a policy. */
  PartKey<Destinations> PART = new PartKey<>("upstreams", Destinations.class);

  /** The destination of this name. */
  Optional<Destination> named(String name);

  /** The destination of a rule's requests; empty if the policy has none. */
  static Optional<Destination> of(Policy policy, Optional<OperationRule> rule) {
    Optional<Destination> named = rule.flatMap(
            known -> OperationUpstream.of(known).upstream())
        .flatMap(
            name -> policy.parts().get(PART).flatMap(destinations -> destinations.named(name)));
    return named.or(() -> policy.routing().upstream());
  }
}
