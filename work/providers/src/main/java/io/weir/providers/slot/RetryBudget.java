package io.weir.providers.slot;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Bounds how many requests to one upstream a node sends again: a share of all requests, so that retries make no storm,
 * and a few each second, so that an upstream with few requests gets all their attempts. Safe for use by many threads.
 */
public final class RetryBudget {
  /** One retry, in hundredths. */
  private static final long WHOLE = 100;

  private static final long MOST_EARNED = 100 * WHOLE;
  /** As many retries as one request may need. */
  private static final long MOST_FREE = 20 * WHOLE;

  private static final long FREE_A_SECOND = 10 * WHOLE;
  private static final long NANOS_OF_ONE = TimeUnit.SECONDS.toNanos(1) / FREE_A_SECOND;

  private long earned;
  private long free = MOST_FREE;
  private long freeNanos;

  RetryBudget(long nowNanos) {
    this.freeNanos = nowNanos;
  }

  /**
   * Counts a request.
   *
   * @param percent of the requests that may be sent again
   */
  public synchronized void earn(OptionalInt percent) {
    earned = Math.min(MOST_EARNED, earned + percent.orElse(0));
  }

  /**
   * Takes a retry from the budget; false if it is used up.
   *
   * @param percent as of {@link #earn}: with 0 no retry is allowed, without it every retry is
   */
  public synchronized boolean spend(OptionalInt percent, long nowNanos) {
    if (percent.isEmpty() || percent.getAsInt() == 0) {
      return percent.isEmpty();
    }
    refill(nowNanos);
    if (earned >= WHOLE) {
      earned -= WHOLE;
      return true;
    }
    boolean isFree = free >= WHOLE;
    free -= isFree ? WHOLE : 0;
    return isFree;
  }

  private void refill(long nowNanos) {
    long more = Math.max(0, nowNanos - freeNanos) / NANOS_OF_ONE;
    free = Math.min(MOST_FREE, free + Math.min(MOST_FREE, more));
    freeNanos += more * NANOS_OF_ONE;
  }
}
