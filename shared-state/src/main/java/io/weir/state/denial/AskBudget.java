package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts how often one subject has asked Redis in this tenth of a second for charges that may need the queue lane.
 * Mutable; safe for use by many threads; slightly inexact if several count at the boundary of a window.
 */
final class AskBudget {
  static final long WINDOW_NANOS = 100_000_000;
  private static final double WINDOW_MICROS = 100_000;
  private static final double LEAST = 50;

  private final AtomicLong window = new AtomicLong();
  private final AtomicLong asked = new AtomicLong();

  /** Counts a call; returns whether it is within the limit. */
  boolean mayAsk(long nowNanos, long most) {
    long current = nowNanos / WINDOW_NANOS;
    if (window.getAndSet(current) != current) {
      asked.set(0);
    }
    return asked.incrementAndGet() <= most;
  }

  /** Twice the admissions of the slowest of these buckets in a window, and at least 500 a second. */
  static long most(List<Demand> demands) {
    double slowest = Double.MAX_VALUE;
    for (Demand demand : demands) {
      double inWindow =
          WINDOW_MICROS * demand.bucket().unitsPerMicro() / demand.unitsPerOperation();
      slowest = Math.min(slowest, inWindow);
    }
    return (long) Math.max(LEAST, 2 * slowest);
  }
}
