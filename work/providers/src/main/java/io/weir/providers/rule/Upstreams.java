package io.weir.providers.rule;

import io.weir.core.policy.Destination;
import io.weir.core.policy.Destinations;
import io.weir.core.policy.Policy;
import java.util.Map;
import java.util.Optional;

/**
 * The upstreams of a policy.
 *
 * @param byName the upstreams made of providers
 */
public record Upstreams(Map<String, Providers> byName) implements Destinations {
  public Upstreams {
    byName = Map.copyOf(byName);
  }

  @Override
  public Optional<Destination> named(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** The upstreams of a policy, by name. */
  public static Map<String, Providers> of(Policy policy) {
    return policy
        .parts()
        .get(Destinations.PART)
        .filter(Upstreams.class::isInstance)
        .map(Upstreams.class::cast)
        .map(Upstreams::byName)
        .orElse(Map.of());
  }
}
