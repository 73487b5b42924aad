package io.weir.upstream;

import java.util.Map;

/**
 * How requests are tried again, at another provider first. The formula is SMG's; its jitter stays below the longest wait.
 *
 * @param attempts how often a request is sent at most; 1 for once
 * @param initialMillis the first wait
 * @param factor by which waits grow, in thousandths
 * @param maxMillis the longest wait
 * @param jitterPercent by how much a wait is more or less
 * @param budgetPercent how many of the requests may be tried again
 * @param maxBodyBytes longer bodies are sent once
 */
public record RetryRule(
    int attempts,
    long initialMillis,
    long factor,
    long maxMillis,
    int jitterPercent,
    int budgetPercent,
    long maxBodyBytes) {

  /** What holds where a policy says nothing. */
  public static final RetryRule DEFAULT = new RetryRule(3, 50, 1500, 30_000, 20, 20, 64 << 10);

  /** SMG's defaults, and the waits of Storj's client, by name; here with jitter. */
  public static final Map<String, RetryRule> PRESETS = Map.of(
      "smg", new RetryRule(5, 50, 1500, 30_000, 20, 20, 64 << 10),
      "storj", new RetryRule(7, 100, 2000, 3000, 20, 20, 64 << 10));

  private static final double THOUSAND = 1000;
  private static final double HUNDRED = 100;

  /**
   * The wait before another attempt.
   *
   * @param waits how many there were before
   * @param random from 0 to 1: where in the jitter
   */
  public long waitMillis(int waits, double random) {
    double grown = Math.floor(initialMillis * Math.pow(factor / THOUSAND, waits));
    double wait = Math.min(grown, (double) maxMillis);
    double share = 1 + (2 * random - 1) * jitterPercent / HUNDRED;
    return Math.min(maxMillis, Math.round(wait * share));
  }
}
