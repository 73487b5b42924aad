package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.denial.DenialCache.Moments;
import io.weir.state.wire.PendingCharge;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Future moments that a node gives to callers by itself, a different one to each caller of a subject. Mutable; safe for
 * use by many threads.
 */
final class MomentBlock {
  private static final int DRIFT = 1000;
  private static final int MOST_WANTED = 1024;
  private static final int FIRST_WANTED = 16;

  private final long revision;
  private final List<Demand> demands;
  private final long cost;
  private final boolean wantsTicket;
  private final long[] used;
  private final Moments moments;
  private final long answeredNanos;
  private final long freshUntilNanos;
  private final AtomicLong next;
  private final AtomicInteger served = new AtomicInteger();

  /** @param answeredNanos when Redis's answer arrived */
  MomentBlock(PendingCharge first, long[] used, Moments moments, long answeredNanos) {
    Charge charge = first.charge();
    this.revision = charge.revision();
    this.demands = charge.demands();
    this.cost = charge.cost();
    this.wantsTicket = charge.ticket().wantsAlways();
    this.used = used;
    this.moments = moments;
    this.answeredNanos = answeredNanos;
    long fresh = MICROSECONDS.toNanos(moments.freshMicros());
    this.freshUntilNanos = first.askedNanos() + fresh - fresh / DRIFT;
    this.next = new AtomicLong(callers(first));
  }

  /** Whether the block is too old to be used. */
  boolean isOver(long nowNanos) {
    return nowNanos - answeredNanos > DenialCache.MAX_AGE_NANOS;
  }

  /** Whether it is of the same buckets by the same policy, for any cost. */
  boolean isOf(Charge charge) {
    return revision == charge.revision() && demands == charge.demands();
  }

  /** The next moment; null if none is left, or a newcomer may get a better answer. */
  @Nullable
  StoreAnswer answer(Charge charge, long nowNanos) {
    boolean isSame = cost == charge.cost()
        && wantsTicket == charge.ticket().wantsAlways()
        && (wantsTicket || charge.ticket().newId().isEmpty());
    if (!isSame || nowNanos >= freshUntilNanos) {
      return null;
    }
    long index = next.getAndIncrement();
    return index < moments.count() ? told(charge, index, nowNanos) : null;
  }

  /** A moment given a second time, for a subject that has asked too often. */
  StoreAnswer answerBeyondBound(Charge charge, long nowNanos) {
    return told(charge, next.getAndIncrement() % moments.count(), nowNanos);
  }

  /** The next moment for any key that needs a bucket known to be full; null if none is left. */
  @Nullable
  StoreAnswer answerAnother(Charge charge, Demand demand, long usedUnits, long nowNanos) {
    long index = next.getAndIncrement();
    return index < moments.count()
        ? told(charge, List.of(demand), new long[] {usedUnits}, index, nowNanos)
        : null;
  }

  /** The same beyond the limit: a moment is given again. */
  StoreAnswer answerAnotherBeyondBound(
      Charge charge, Demand demand, long usedUnits, long nowNanos) {
    long index = next.getAndIncrement() % moments.count();
    return told(charge, List.of(demand), new long[] {usedUnits}, index, nowNanos);
  }

  /** The number of moments that the next block should have. */
  int wanted() {
    return Math.min(MOST_WANTED, Math.max(FIRST_WANTED, 2 * served.get()));
  }

  private StoreAnswer told(Charge charge, long index, long nowNanos) {
    return told(charge, charge.demands(), used, index, nowNanos);
  }

  private StoreAnswer told(
      Charge charge, List<Demand> of, long[] usedUnits, long index, long nowNanos) {
    served.incrementAndGet();
    long elapsed = NANOSECONDS.toMicros(nowNanos - answeredNanos);
    long wait = moments.firstMicros() + index * moments.stepMicros() - elapsed;
    Wait told = new Wait(Math.max(1, wait), true, Optional.empty());
    Verdict verdict = new Verdict(charge.revision(), of, charge.cost());
    return new Decided(verdict.decision(Outcome.DENIED, usedUnits, told), QueueReport.NONE);
  }

  private static int callers(PendingCharge first) {
    int callers = 0;
    for (PendingCharge one = first; one != null; one = one.next()) {
      callers++;
    }
    return callers;
  }
}
