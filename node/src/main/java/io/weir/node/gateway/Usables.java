package io.weir.node.gateway;

import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.provider.KeysHere;
import io.weir.throttle.PolicySource;
import io.weir.upstream.Providers;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Upstreams, each with the keys that this node has. Mutable; owned by one event loop. */
final class Usables {
  private static final int MAX_KNOWN = 200;
  private static final ProblemDetails REMOVED =
      ProblemDetails.of(503, "upstream_removed", "The policy does not have this upstream any more");

  private final PolicySource policies;
  private final KeysHere keys;
  /** By the very object: looked up for each request. */
  private final IdentityHashMap<Providers, UsableProviders> known = new IdentityHashMap<>();

  Usables(PolicySource policies, KeysHere keys) {
    this.policies = policies;
    this.keys = keys;
  }

  /** As the policy that is in force has it; throws {@link RefusedException} where that does not. */
  UsableProviders now(String name) {
    return Optional.ofNullable(policies.current().policy().upstreams().get(name))
        .map(this::of)
        .orElseThrow(() -> new RefusedException(REMOVED));
  }

  /** As a policy had it. */
  UsableProviders of(Providers upstream) {
    if (known.size() > MAX_KNOWN) {
      known.clear(); // of policies before
    }
    return known.computeIfAbsent(
        upstream, all -> new UsableProviders(keys.of(all), keyHeaders(all)));
  }

  private static Set<String> keyHeaders(Providers upstream) {
    return upstream.all().stream()
        .flatMap(one -> one.keys().stream())
        .map(key -> ForwardedHeaders.plain(key.header()))
        .collect(Collectors.toUnmodifiableSet());
  }
}
