package io.weir.node.gateway;

import io.weir.core.throttle.PolicySource;
import io.weir.core.upstream.Providers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.provider.KeysHere;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Caches upstreams with the keys that this node has. Mutable; owned by one event loop. */
final class Usables {
  private static final int MAX_KNOWN = 200;
  private static final ProblemDetails REMOVED =
      ProblemDetails.of(503, "upstream_removed", "The policy does not have this upstream any more");

  private final PolicySource policies;
  private final KeysHere keys;
  /** By identity, as it is looked up for each request. */
  private final IdentityHashMap<Providers, UsableProviders> known = new IdentityHashMap<>();

  Usables(PolicySource policies, KeysHere keys) {
    this.policies = policies;
    this.keys = keys;
  }

  /** The upstream of the policy in force; throws {@link RefusedException} if that policy has none of this name. */
  UsableProviders now(String name) {
    return Optional.ofNullable(policies.current().policy().upstreams().get(name))
        .map(this::of)
        .orElseThrow(() -> new RefusedException(REMOVED));
  }

  /** The upstream of a given policy. */
  UsableProviders of(Providers upstream) {
    if (known.size() > MAX_KNOWN) {
      known.clear(); // of earlier policies
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
