package io.weir.providers.queue;

import io.weir.providers.rule.Bounds;
import io.weir.providers.rule.Providers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The places of one node in the queues of upstreams. Safe for use by many threads. */
public final class QueueCapacities {
  private final Map<String, Capacity> places = new ConcurrentHashMap<>();

  /** The places of one upstream, and the estimates for callers without a place. */
  record Capacity(int most, long millis, QueueCapacity waiting, WaitEstimates estimates) {
    public static Capacity of(Bounds bounds) {
      return new Capacity(
          bounds.maxQueue(),
          bounds.queueMillis(),
          new QueueCapacity(bounds.maxQueue()),
          new WaitEstimates(bounds.queueMillis()));
    }

    boolean areOf(Bounds bounds) {
      return most == bounds.maxQueue() && millis == bounds.queueMillis();
    }
  }

  // New places if the policy has changed the bounds.
  public Capacity of(Providers upstream) {
    Bounds bounds = upstream.bounds();
    return places.compute(
        upstream.name(),
        (name, known) -> known != null && known.areOf(bounds) ? known : Capacity.of(bounds));
  }
}
