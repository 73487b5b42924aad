package io.weir.upstream;

/**
 * When a provider is left alone.
 *
 * @param failurePercent of the calls in the window, from which on
 * @param minCalls below which nothing is judged
 * @param windowMillis how far back calls count
 * @param openMillis how long it is left alone, then a single request of the whole cluster tries it
 */
public record BreakerRule(int failurePercent, int minCalls, long windowMillis, long openMillis) {
  /** What holds where a policy says nothing. */
  public static final BreakerRule DEFAULT = new BreakerRule(50, 10, 10_000, 10_000);
}
