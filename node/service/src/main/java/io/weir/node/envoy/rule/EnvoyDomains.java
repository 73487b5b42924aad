package io.weir.node.envoy.rule;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Policy;
import java.util.Map;
import java.util.Optional;

/** The domains of a policy. */
public record EnvoyDomains(Map<String, EnvoyDomain> byName) {
  static final PartKey<EnvoyDomains> PART = new PartKey<>("envoy", EnvoyDomains.class);

  private static final EnvoyDomains NONE = new EnvoyDomains(Map.of());

  public EnvoyDomains {
    byName = Map.copyOf(byName);
  }

  /** The domains of a policy. */
  public static EnvoyDomains of(Policy policy) {
    return policy.parts().get(PART).orElse(NONE);
  }

  /** The domain with this name. */
  public Optional<EnvoyDomain> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }
}
