package io.weir.node.provider;

import io.weir.node.intake.Bulkhead;
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
  record Places(Bulkhead waiting, Estimates estimates) {}

  // Others where the policy says other numbers.
  Places of(Providers upstream) {
    int most = upstream.bounds().maxQueue();
    long millis = upstream.bounds().queueMillis();
    return places.computeIfAbsent(
        upstream.name() + "/" + most + "/" + millis,
        name -> new Places(waiting(most), new Estimates(millis)));
  }

  private static Bulkhead waiting(int most) {
    int least = Math.min(1, most);
    return new Bulkhead(
        Math.max(least, most / 2), Math.max(least, most * (QUARTERS - 1) / QUARTERS), most);
  }
}
