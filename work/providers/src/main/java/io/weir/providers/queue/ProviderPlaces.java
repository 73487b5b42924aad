package io.weir.providers.queue;

import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.Providers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The places of one node in the queues of upstreams. Safe for use by many threads. */
public final class ProviderPlaces {
  private final Map<String, Places> places = new ConcurrentHashMap<>();

  /** The places of one upstream, and the estimates for callers without a place. */
  record Places(int most, long millis, WaitingPlaces waiting, WaitEstimates estimates) {
    public static Places of(Bounds bounds) {
      return new Places(
          bounds.maxQueue(),
          bounds.queueMillis(),
          new WaitingPlaces(bounds.maxQueue()),
          new WaitEstimates(bounds.queueMillis()));
    }

    boolean areOf(Bounds bounds) {
      return most == bounds.maxQueue() && millis == bounds.queueMillis();
    }
  }

  // New places if the policy has changed the bounds.
  public Places of(Providers upstream) {
    Bounds bounds = upstream.bounds();
    return places.compute(
        upstream.name(),
        (name, known) -> known != null && known.areOf(bounds) ? known : Places.of(bounds));
  }
}
