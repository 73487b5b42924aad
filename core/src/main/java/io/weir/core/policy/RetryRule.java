package io.weir.core.policy;

import io.weir.core.policy.schema.Words;
import java.util.Map;
import java.util.OptionalInt;

/**
 * How requests are retried, at another provider first. The formula is SMG's; its jitter stays below the longest wait.
 *
 * @param attempts the most times that a request is sent, including the first: 1 for once, 6 for five retries
 * @param backoff the waits between attempts
 * @param budgetPercent the share of requests that may be retried; empty for all
 * @param maxBodyBytes longer bodies are sent once
 * @param attemptMillis the longest time until the answer to an attempt begins, if another attempt is allowed; 0 for no
 *     such limit
 */
public record RetryRule(
    int attempts,
    Backoff backoff,
    OptionalInt budgetPercent,
    long maxBodyBytes,
    long attemptMillis) {
  /** The most attempts that a policy may configure. */
  public static final int MAX_ATTEMPTS = 20;

  private static final OptionalInt A_FIFTH = OptionalInt.of(20);

  /** The rule of a policy that configures none. */
  public static final RetryRule DEFAULT =
      new RetryRule(3, new Backoff(50, 1500, 30_000, 20), A_FIFTH, 64 << 10, 0);

  /** Each request is sent once. */
  public static final RetryRule ONCE =
      new RetryRule(1, new Backoff(0, 1000, 0, 0), OptionalInt.of(0), 0, 0);

  /** SMG's defaults (five retries, without a budget), and the waits of Storj's client, by name; here with jitter. */
  public static final Map<String, RetryRule> PRESETS = Words.of(
      "smg", new RetryRule(6, new Backoff(50, 1500, 30_000, 20), OptionalInt.empty(), 64 << 10, 0),
      "storj", new RetryRule(7, new Backoff(100, 2000, 3000, 20), A_FIFTH, 64 << 10, 0));

  /**
   * Waits that grow.
   *
   * @param initialMillis the first wait
   * @param factor by which waits grow, in thousandths
   * @param maxMillis the longest wait
   * @param jitterPercent the random deviation of a wait, in both directions
   */
  public record Backoff(long initialMillis, long factor, long maxMillis, int jitterPercent) {
    private static final double THOUSAND = 1000;
    private static final double HUNDRED = 100;

    /**
     * Returns the wait before another attempt.
     *
     * @param waits the number of waits before
     * @param random from 0 to 1: the position in the jitter
     */
    public long waitMillis(int waits, double random) {
      double grown = Math.floor(initialMillis * Math.pow(factor / THOUSAND, waits));
      double wait = Math.min(grown, (double) maxMillis);
      double share = 1 + (2 * random - 1) * jitterPercent / HUNDRED;
      return Math.min(maxMillis, Math.round(wait * share));
    }
  }
}
