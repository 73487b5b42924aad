package io.weir.providers.slot;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How long keys rest that their providers refuse: 10 s at first, twice as long each next time until the key works again,
 * at most 10 minutes. Each node counts by itself. Safe for use by many threads.
 */
public final class KeyRests {
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  /** After a rest at one node the next one may be at another. */
  private static final long ELSEWHERE_NANOS = LONGEST_NANOS;

  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** A policy has at most 10,000 key slots. */
  private static final int MOST = 20_000;

  private final Map<Key, Rest> rests = new ConcurrentHashMap<>();

  /** @param scope the key, or {@code key/group} */
  record Key(String upstream, String provider, String scope) {
    /** The key, whatever the group. */
    private Key slot() {
      int slash = scope.indexOf('/');
      return slash < 0 ? this : new Key(upstream, provider, scope.substring(0, slash));
    }
  }

  private record Rest(long nanos, long untilNanos) {}

  /** The keys that are refused at a moment: a gauge of each key asks, one after the other. */
  private record Refused(long atNanos, Set<Key> slots) {}

  private volatile @Nullable Refused refused; // null after a change

  /** The key was refused; returns how many microseconds it rests from now on. */
  long refusedMicros(Key key, long nowNanos) {
    if (rests.size() > MOST) {
      rests.clear(); // most are of earlier policies
    }
    Rest rest = rests.compute(key, (same, before) -> next(before, nowNanos));
    refused = null;
    return (rest.untilNanos - nowNanos + 999) / 1000;
  }

  // Requests that were under way when the rest began do not make it longer.
  private static Rest next(@Nullable Rest before, long nowNanos) {
    if (before != null && before.untilNanos - nowNanos > 0) {
      return before;
    }
    long nanos = before == null ? FIRST_NANOS : Math.min(LONGEST_NANOS, 2 * before.nanos);
    return new Rest(nanos, nowNanos + nanos);
  }

  /**
   * Whether a key is refused, for all operations or those of a group: from the begin of a rest until it works again, or until
   * this node has not used it for ten minutes after its rest.
   */
  boolean isRefused(Key slot, long nowNanos) {
    Refused known = refused;
    if (known == null || nowNanos - known.atNanos >= KNOWN_NANOS) {
      known = new Refused(nowNanos, refusedAt(nowNanos));
      refused = known;
    }
    return known.slots.contains(slot);
  }

  private Set<Key> refusedAt(long nowNanos) {
    return rests.entrySet().stream()
        .filter(one -> one.getValue().untilNanos - nowNanos + ELSEWHERE_NANOS > 0)
        .map(one -> one.getKey().slot())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The key works, or is to be tried as if it were new. */
  void forget(Key key) {
    if (rests.remove(key) != null) {
      refused = null;
    }
  }
}
