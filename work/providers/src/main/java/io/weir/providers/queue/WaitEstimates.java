package io.weir.providers.queue;

import java.util.concurrent.TimeUnit;

/**
 * Estimates when callers may return that an upstream has no place for. Estimates are spaced by the rate of recent
 * turns, so that callers get different times. Without a known next turn, none exceeds the queue time, by which all
 * waiting requests have left; with one, it counts from that turn. Safe for use by many threads.
 */
final class WaitEstimates {
  /** The time constant of the moving average of turns. */
  private static final double NANOS_BACK = TimeUnit.SECONDS.toNanos(2);

  /** If few requests wait and there were no turns, the queue time is divided into this many steps. */
  private static final int FEWEST = 10;

  private static final double NANOS_PER_MILLI = 1e6;

  private final long longestNanos;
  private double turns;
  private long turnNanos;
  private double aheadNanos;
  private long givenNanos;

  /** @param queueMillis the longest wait in the queue */
  WaitEstimates(long queueMillis) {
    this.longestNanos = TimeUnit.MILLISECONDS.toNanos(queueMillis);
  }

  /** A request got its turn. */
  synchronized void turn(long nowNanos) {
    turns = turnsUntil(nowNanos) + 1;
    turnNanos = nowNanos;
  }

  /**
   * The wait until the next caller may return, in milliseconds, at least 1.
   *
   * @param leastMicros the time until the next turn; 0 if it is unknown
   * @param waiting the number of waiting requests
   */
  synchronized long waitMillis(long leastMicros, long waiting, long nowNanos) {
    double step = Math.min(
        NANOS_BACK / turnsUntil(nowNanos), (double) longestNanos / Math.max(FEWEST, waiting));
    double ahead = Math.max(0, aheadNanos - (nowNanos - givenNanos));
    ahead = ahead + step > longestNanos ? 0 : ahead;
    aheadNanos = ahead + step;
    givenNanos = nowNanos;
    double wait = leastMicros > 0 ? TimeUnit.MICROSECONDS.toNanos(leastMicros) + ahead : aheadNanos;
    return Math.max(1, (long) Math.ceil(wait / NANOS_PER_MILLI));
  }

  private double turnsUntil(long nowNanos) {
    return turns * Math.exp((turnNanos - nowNanos) / NANOS_BACK);
  }
}
