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

  private final Map<String, Bulkhead> waiting = new ConcurrentHashMap<>();

  // Another one where the policy says another number.
  Bulkhead waiting(Providers upstream) {
    int most = upstream.bounds().maxQueue();
    int least = Math.min(1, most);
    return waiting.computeIfAbsent(
        upstream.name() + "/" + most,
        name -> new Bulkhead(
            Math.max(least, most / 2), Math.max(least, most * (QUARTERS - 1) / QUARTERS), most));
  }
}
