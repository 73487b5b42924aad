package io.weir.upstream;

import java.util.Map;
import java.util.OptionalInt;

/**
 * How requests are tried again, at another provider first. The formula is SMG's; its jitter stays below the longest wait.
 *
 * @param attempts how often a request is sent at most, the first time included: 1 for once, 6 for five retries
 * @param initialMillis the first wait
 * @param factor by which waits grow, in thousandths
 * @param maxMillis the longest wait
 * @param jitterPercent by how much a wait is more or less
 * @param budgetPercent how many of the requests may be tried again; empty for all
 * @param maxBodyBytes longer bodies are sent once
 * @param attemptMillis how long an attempt may take until its answer begins while another one is allowed; 0 for no such end
 */
public record RetryRule(
    int attempts,
    long initialMillis,
    long factor,
    long maxMillis,
    int jitterPercent,
    OptionalInt budgetPercent,
    long maxBodyBytes,
    long attemptMillis) {
  private static final OptionalInt A_FIFTH = OptionalInt.of(20);

  /** What holds where a policy says nothing. */
  public static final RetryRule DEFAULT =
      new RetryRule(3, 50, 1500, 30_000, 20, A_FIFTH, 64 << 10, 0);

  /** SMG's defaults (five retries, without a budget), and the waits of Storj's client, by name; here with jitter. */
  public static final Map<String, RetryRule> PRESETS = Map.of(
      "smg", new RetryRule(6, 50, 1500, 30_000, 20, OptionalInt.empty(), 64 << 10, 0),
      "storj", new RetryRule(7, 100, 2000, 3000, 20, A_FIFTH, 64 << 10, 0));

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
