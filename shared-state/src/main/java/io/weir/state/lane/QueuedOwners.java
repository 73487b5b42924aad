package io.weir.state.lane;

import io.weir.state.wire.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * Owners that waited a moment ago: their charges take Redis longer, so fewer of them travel in a call. Mutable; used on
 * one event loop.
 */
final class QueuedOwners {
  private static final int MAX_KNOWN = 50_000;
  private static final long KNOWN_FOR_NANOS = 1_000_000_000L;

  private final Map<Owner, Long> since = new HashMap<>();

  void add(Owner owner, long nowNanos) {
    if (since.size() >= MAX_KNOWN) {
      since.clear();
    }
    since.put(owner, nowNanos);
  }

  void remove(Owner owner) {
    since.remove(owner);
  }

  boolean contains(Owner owner, long nowNanos) {
    if (since.isEmpty()) {
      return false;
    }
    Long known = since.get(owner);
    if (known != null && nowNanos - known > KNOWN_FOR_NANOS) {
      since.remove(owner);
      return false;
    }
    return known != null;
  }
}
