package io.weir.providers.rule;

/**
 * The rule that opens a provider's breaker.
 *
 * @param failurePercent the share of failed calls in the window that opens it
 * @param minCalls the least number of calls for a judgement
 * @param windowMillis how long calls count
 * @param openMillis how long it is open; then a single request of the whole cluster probes the provider
 */
public record BreakerRule(int failurePercent, int minCalls, long windowMillis, long openMillis) {
  /** The rule of a policy that configures none. */
  public static final BreakerRule DEFAULT = new BreakerRule(50, 10, 10_000, 10_000);
}
