package io.weir.providers.queue;

import io.weir.providers.rule.Providers;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Tells which upstreams are still those of the policy in force. Mutable; owned by one event loop. */
public final class CurrentUpstreams {
  private final Supplier<Map<String, Providers>> inForce;
  private final KeysHere keys;
  private final IdentityHashMap<Providers, Boolean> known = new IdentityHashMap<>();
  private Map<String, Providers> last = Map.of();

  /** @param inForce by name; returns the same object as long as the policy stays */
  public CurrentUpstreams(Supplier<Map<String, Providers>> inForce, KeysHere keys) {
    this.inForce = inForce;
    this.keys = keys;
  }

  /** Whether it is a current upstream, with all keys, with the keys of this node, or with one of them. */
  @SuppressWarnings("ReferenceEquality") // asked for each request: the same policy says the same
  boolean have(Providers upstream) {
    Map<String, Providers> now = inForce.get();
    if (now != last) {
      last = now;
      known.clear();
    }
    return known.computeIfAbsent(upstream, one -> isIn(now, one));
  }

  private boolean isIn(Map<String, Providers> now, Providers upstream) {
    Providers one = now.get(upstream.name());
    return one != null
        && (upstream.equals(one)
            || upstream.equals(keys.of(one))
            || isSlotOf(keys.of(one), upstream));
  }

  private static boolean isSlotOf(Providers all, Providers upstream) {
    return upstream.slots() == 1
        && upstream.all().stream()
            .anyMatch(one -> upstream.equals(all.only(one.name(), one.slots().get(0))));
  }
}
