package io.weir.providers.rule;

import java.util.Optional;

/**
 * The bounds on the load of an upstream, for all nodes together.
 *
 * @param maxInflight requests in flight
 * @param adaptive how the limit adapts to response times; empty if it does not
 * @param maxQueue requests that wait on one node
 * @param queueMillis the longest wait of a request
 * @param leaseMicros the time after which the requests in flight of a dead node no longer count
 */
public record Bounds(
    int maxInflight,
    Optional<AdaptiveRule> adaptive,
    int maxQueue,
    long queueMillis,
    long leaseMicros) {

  /** The largest possible number of requests in flight. */
  public int most() {
    return Math.min(maxInflight, adaptive.map(AdaptiveRule::max).orElse(maxInflight));
  }
}
