package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import io.weir.core.throttle.Charge;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits how often one subject asks Redis while it is denied: at a rate, and so often at once; a request of many buckets
 * less often, as it takes longer. The generic cell rate algorithm of ITU-T I.371. Mutable; safe for use by many threads.
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
  private static final double BEYOND_RATE = 1.125;

  // A decision in calendars takes as long as this many of its buckets, as lib/effort.lua counts it.
  private static final int DECISION = 6;
  private static final int USUAL_BUCKETS = 3;

  private final int atOnce;

  /** When all calls until now are paid for, on the clock of {@link #mayAsk}. */
  private final AtomicLong paidAt = new AtomicLong(Long.MIN_VALUE / 2);

  AskBudget(int atOnce) {
    this.atOnce = atOnce;
  }

  /**
   * How many calls a second are within the limit.
   *
   * @param weight how long Redis works on one of them, as a multiple of a usual one
   */
  record Pace(double perSecond, double weight) {
    /** An eighth more than the admissions of the slowest bucket of a charge, and at least 250 a second of usual weight. */
    static Pace of(Charge charge) {
      return of(charge, charge.demands());
    }

    /** The same of some of its buckets. */
    static Pace of(Charge charge, List<Demand> demands) {
      int buckets = charge.demands().size();
      double weight = Math.max(1, (double) (DECISION + buckets) / (DECISION + USUAL_BUCKETS));
      double slowest = Double.MAX_VALUE;
      for (Demand demand : demands) {
        double rate = SECOND_MICROS * demand.bucket().unitsPerMicro() / demand.unitsPerOperation();
        slowest = Math.min(slowest, rate);
      }
      return new Pace(Math.max(LEAST_PER_SECOND / weight, BEYOND_RATE * slowest), weight);
    }

    Pace times(int factor) {
      return new Pace(factor * perSecond, weight);
    }

    private long eachNanos() {
      return Math.max(1, (long) (SECOND_NANOS / perSecond));
    }
  }

  /** Counts a call, if it is within the limit; returns whether it is. */
  boolean mayAsk(long nowNanos, Pace pace) {
    long each = pace.eachNanos();
    long latest = latest(nowNanos, pace);
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
  boolean mightAsk(long nowNanos, Pace pace) {
    return Math.max(paidAt.get(), nowNanos) + pace.eachNanos() <= latest(nowNanos, pace);
  }

  private long latest(long nowNanos, Pace pace) {
    return nowNanos + Math.max(1, (long) (atOnce / pace.weight())) * pace.eachNanos();
  }
}
