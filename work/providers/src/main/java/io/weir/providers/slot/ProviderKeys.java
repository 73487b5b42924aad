package io.weir.providers.slot;

import io.weir.core.throttle.PolicySource;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.upstream.ForwardedHeaders;
import io.weir.providers.queue.KeysHere;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Caches upstreams with the keys that this node has. Mutable; owned by one event loop. */
final class ProviderKeys {
  private static final int MAX_KNOWN = 200;
  private static final ProblemDetails REMOVED =
      ProblemDetails.of(503, "upstream_removed", "The policy does not have this upstream any more");

  private final PolicySource policies;
  private final KeysHere keys;
  /** By identity, as it is looked up for each request. */
  private final IdentityHashMap<Providers, UsableProviders> known = new IdentityHashMap<>();

  private final IdentityHashMap<Providers, Map<String, Providers>> single = new IdentityHashMap<>();

  ProviderKeys(PolicySource policies, KeysHere keys) {
    this.policies = policies;
    this.keys = keys;
  }

  /** The upstream of the policy in force; throws {@link RefusedException} if that policy has none of this name. */
  UsableProviders now(String name) {
    return Optional.ofNullable(Upstreams.of(policies.current().policy()).get(name))
        .map(this::of)
        .orElseThrow(() -> new RefusedException(REMOVED));
  }

  /** The upstream of a given policy. */
  UsableProviders of(Providers upstream) {
    if (known.size() > MAX_KNOWN) {
      known.clear(); // of earlier policies
    }
    return known.computeIfAbsent(
        upstream, all -> new UsableProviders(all, keys.of(all), keyHeaders(all)));
  }

  /** The same with one key slot alone, {@code provider/key}. */
  UsableProviders only(UsableProviders usable, String place) {
    if (single.size() > MAX_KNOWN) {
      single.clear(); // of earlier policies
    }
    Providers one = single
        .computeIfAbsent(usable.upstream(), all -> new HashMap<>())
        .computeIfAbsent(place, slot -> {
          int slash = slot.indexOf('/');
          return usable.upstream().only(slot.substring(0, slash), slot.substring(slash + 1));
        });
    return new UsableProviders(usable.configured(), one, usable.keyHeaders());
  }

  private static Set<String> keyHeaders(Providers upstream) {
    return upstream.all().stream()
        .flatMap(one -> one.keys().stream())
        .map(key -> ForwardedHeaders.plain(key.header()))
        .collect(Collectors.toUnmodifiableSet());
  }
}
