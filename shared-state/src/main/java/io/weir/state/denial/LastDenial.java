package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The last denial by Redis under a plan with slots. A subject that asks too often gets estimates from it, a different
 * one for each caller, until they begin again. Mutable; safe for use by many threads.
 */
final class LastDenial {
  /** How many estimates are different. */
  static final int TURNS = 64;

  private final long revision;
  private final List<Demand> demands;
  private final long[] used;
  private final long waitMicros;
  private final long stepMicros;
  private final long answeredNanos;
  private final AtomicLong next = new AtomicLong();

  /**
   * Remembers a denial.
   *
   * @param used per demand the units used
   * @param waitMicros of the denied caller, from when Redis decided
   * @param answeredNanos when the answer arrived
   */
  LastDenial(Charge denied, long[] used, long waitMicros, long answeredNanos) {
    this.revision = denied.revision();
    this.demands = denied.demands();
    this.used = used;
    this.waitMicros = waitMicros;
    this.stepMicros = stepMicros(denied, used);
    this.answeredNanos = answeredNanos;
  }

  /** The time between the turns of two callers: how long the cost takes to drain from the slowest full bucket. */
  static long stepMicros(Charge denied, long[] used) {
    long longest = 1;
    for (int i = 0; i < used.length; i++) {
      Demand demand = denied.demands().get(i);
      long units = demand.units(denied.cost());
      if (!LeakyBucket.fits(demand.bucket(), used[i], units)) {
        longest = Math.max(
            longest, LeakyBucket.emptyAfterMicros(units, demand.bucket().unitsPerMicro()));
      }
    }
    return longest;
  }

  /** Whether it is too old to be used. */
  boolean isOver(long nowNanos) {
    return nowNanos - answeredNanos > DenialCache.MAX_AGE_NANOS;
  }

  /** Whether it is of the same buckets by the same policy, for any cost. */
  boolean isOf(Charge charge) {
    return revision == charge.revision() && demands == charge.demands();
  }

  /** An estimate for a caller beyond the bound. */
  StoreAnswer deny(Charge charge, long nowNanos) {
    return deny(charge, charge.demands(), used, nowNanos);
  }

  /** The same for any key that needs a bucket known to be full. */
  StoreAnswer deny(Charge charge, Demand demand, long usedUnits, long nowNanos) {
    return deny(charge, List.of(demand), new long[] {usedUnits}, nowNanos);
  }

  private StoreAnswer deny(Charge charge, List<Demand> of, long[] usedUnits, long nowNanos) {
    long elapsed = NANOSECONDS.toMicros(nowNanos - answeredNanos);
    long turn = 1 + next.getAndIncrement() % TURNS;
    Wait given =
        new Wait(Math.max(1, waitMicros + turn * stepMicros - elapsed), true, Optional.empty());
    Verdict verdict = new Verdict(charge.revision(), of, charge.cost());
    return new Decided(verdict.decision(Outcome.DENIED, usedUnits, given), QueueReport.NONE);
  }
}
