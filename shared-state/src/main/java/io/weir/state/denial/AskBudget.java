package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits how often one subject asks Redis while it is denied: at a rate, and so often at once. The generic cell rate
 * algorithm of ITU-T I.371. Mutable; safe for use by many threads.
 */
final class AskBudget {
  /** How much later a caller beyond the bound may ask again, at least. */
  static final long PAUSE_NANOS = 100_000_000;

  /** How many calls a crowd may make at once that comes together, to get its places from Redis. */
  static final int CROWD = 2000;

  /** How many calls may be made at once if all callers get the same answer. */
  static final int FEW = 50;

  private static final double SECOND_NANOS = 1_000_000_000;
  private static final double SECOND_MICROS = 1_000_000;
  private static final double LEAST_PER_SECOND = 250;
  private static final double BEYOND_RATE = 1.25;

  private final int atOnce;

  /** When all calls until now are paid for, on the clock of {@link #mayAsk}. */
  private final AtomicLong paidAt = new AtomicLong(Long.MIN_VALUE / 2);

  AskBudget(int atOnce) {
    this.atOnce = atOnce;
  }

  /** Counts a call, if it is within the limit; returns whether it is. */
  boolean mayAsk(long nowNanos, double perSecond) {
    long each = each(perSecond);
    long latest = nowNanos + atOnce * each;
    while (true) {
      long paid = paidAt.get();
      long next = Math.max(paid, nowNanos) + each;
      if (next > latest) {
        return false;
      }
      if (paidAt.compareAndSet(paid, next)) {
        return true;
      }
    }
  }

  /** Whether a call would be within the limit; counts none. */
  boolean mightAsk(long nowNanos, double perSecond) {
    long each = each(perSecond);
    return Math.max(paidAt.get(), nowNanos) + each <= nowNanos + atOnce * each;
  }

  private static long each(double perSecond) {
    return Math.max(1, (long) (SECOND_NANOS / perSecond));
  }

  /** A quarter more than the admissions of the slowest of these buckets, and at least 250 a second. */
  static double perSecond(List<Demand> demands) {
    double slowest = Double.MAX_VALUE;
    for (Demand demand : demands) {
      double rate = SECOND_MICROS * demand.bucket().unitsPerMicro() / demand.unitsPerOperation();
      slowest = Math.min(slowest, rate);
    }
    return Math.max(LEAST_PER_SECOND, BEYOND_RATE * slowest);
  }
}
