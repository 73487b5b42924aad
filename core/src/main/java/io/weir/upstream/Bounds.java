package io.weir.upstream;

import java.util.Optional;

/**
 * How much is asked of an upstream at once, by all nodes together.
 *
 * @param maxInflight requests under way
 * @param adaptive how fewer are under way where answers take long; nothing where that is not wanted
 * @param maxQueue requests that wait on a node
 * @param queueMillis how long one waits at most
 * @param leaseMicros after which what a dead node had under way is free again
 */
public record Bounds(
    int maxInflight,
    Optional<AdaptiveRule> adaptive,
    int maxQueue,
    long queueMillis,
    long leaseMicros) {

  /** How many may be under way at the most, whatever is learned. */
  public int most() {
    return Math.min(maxInflight, adaptive.map(AdaptiveRule::max).orElse(maxInflight));
  }
}
