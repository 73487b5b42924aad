package io.weir.node.provider;

import java.util.concurrent.TimeUnit;

/**
 * When callers that an upstream has no place for may come again. Each is told another moment, as far apart as others get
 * their turns here; none later than the queue lasts as it is, for whoever waits leaves it by then. Safe for use by many
 * threads.
 */
final class Estimates {
  /** How far back it looks for turns: an exponential moving average. */
  private static final double NANOS_BACK = TimeUnit.SECONDS.toNanos(2);

  /** Where few wait and nobody got a turn, so many parts are made of the time. */
  private static final int FEWEST = 10;

  private static final double NANOS_PER_MILLI = 1e6;

  private final long longestNanos;
  private double turns;
  private long turnNanos;
  private double aheadNanos;
  private long toldNanos;

  /** @param queueMillis how long one may wait in the queue */
  Estimates(long queueMillis) {
    this.longestNanos = TimeUnit.MILLISECONDS.toNanos(queueMillis);
  }

  /** Somebody got a turn. */
  synchronized void turn(long nowNanos) {
    turns = turnsUntil(nowNanos) + 1;
    turnNanos = nowNanos;
  }

  /**
   * In how many milliseconds the next one may come again, above 0.
   *
   * @param leastMicros when somebody gets a turn again, where that is known
   * @param waiting how many wait
   */
  synchronized long waitMillis(long leastMicros, long waiting, long nowNanos) {
    double step = Math.min(
        NANOS_BACK / turnsUntil(nowNanos), (double) longestNanos / Math.max(FEWEST, waiting));
    double ahead = Math.max(0, aheadNanos - (nowNanos - toldNanos));
    ahead = ahead + step > longestNanos ? 0 : ahead;
    aheadNanos = ahead + step;
    toldNanos = nowNanos;
    double wait = leastMicros > 0 ? TimeUnit.MICROSECONDS.toNanos(leastMicros) + ahead : aheadNanos;
    return Math.max(1, (long) Math.ceil(wait / NANOS_PER_MILLI));
  }

  private double turnsUntil(long nowNanos) {
    return turns * Math.exp((turnNanos - nowNanos) / NANOS_BACK);
  }
}
