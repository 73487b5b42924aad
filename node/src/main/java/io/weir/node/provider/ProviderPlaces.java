package io.weir.node.provider;

import io.weir.node.intake.Bulkhead;
import io.weir.upstream.Bounds;
import io.weir.upstream.Providers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one node has of an upstream: so many requests may wait; a key has half of it, a tenant three quarters. Safe for use
 * by many threads.
 */
public final class ProviderPlaces {
  private static final int QUARTERS = 4;

  private final Map<String, Places> places = new ConcurrentHashMap<>();

  /** Places to wait in, and what is told to those who get none. */
  record Places(int most, long millis, Bulkhead waiting, Estimates estimates) {
    static Places of(Bounds bounds) {
      int most = bounds.maxQueue();
      int least = Math.min(1, most);
      return new Places(
          most,
          bounds.queueMillis(),
          new Bulkhead(
              Math.max(least, most / 2), Math.max(least, most * (QUARTERS - 1) / QUARTERS), most),
          new Estimates(bounds.queueMillis()));
    }

    boolean areOf(Bounds bounds) {
      return most == bounds.maxQueue() && millis == bounds.queueMillis();
    }
  }

  // Others where the policy says other numbers.
  Places of(Providers upstream) {
    Bounds bounds = upstream.bounds();
    return places.compute(
        upstream.name(),
        (name, known) -> known != null && known.areOf(bounds) ? known : Places.of(bounds));
  }
}
