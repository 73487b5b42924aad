package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.slot.SlotLimits;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.Returns;
import io.weir.state.wire.PendingCharge;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A denial of a charge of several kinds by Redis, and how long a node answers from it. Mutable; safe for use by many
 * threads.
 *
 * <p>Some denials are certain: a quota is full until its period ends, a bucket until it has drained. The end of others
 * is unknown, because permits are given back at any time. Then one call in a while goes to Redis, and each admission
 * and each permit that this node gives back allows two more calls.
 */
public final class MixedDenial {
  /** The pause between two calls if the end of a denial is not certain. */
  public static final long PAUSE_NANOS = 10_000_000;

  private static final int DRIFT = 1000;
  private static final int ASKS_PER_ADMISSION = 2;
  private static final int MOST_ASKS = 1 << 20;
  /** How far ahead callers are told a time: at least this, and so many steps. */
  private static final long FURTHEST_NANOS = 30_000_000_000L;

  private final MixedAnswer answer;
  private final Charge charge;
  private final Terms terms;
  private final long askedNanos;
  private final long answeredNanos;
  private final AtomicLong next = new AtomicLong();
  private final AtomicInteger asks = new AtomicInteger();
  private final AtomicLong askedAgainNanos;
  private final AtomicLong retryNanos;
  private final AtomicLong returnedNanos;
  private final Returns returns;

  /**
   * The terms of the wait.
   *
   * @param waitMicros of the denied caller, from when Redis decided
   * @param certainMicros how long no other caller can get a better answer, from when Redis decided
   * @param isPaced whether afterwards one caller at a time asks Redis
   * @param isExactCost whether it holds only for requests with the same cost and the same wish for a ticket
   * @param slots of {@link Returns}, of everything that may be given back
   */
  record Terms(
      long waitMicros,
      Steps steps,
      long certainMicros,
      boolean isPaced,
      boolean isExactCost,
      List<Integer> slots) {

    /** The same with a shorter step. */
    Terms withStep(long micros) {
      Steps shorter = new Steps(micros, steps.moments);
      return new Terms(waitMicros, shorter, certainMicros, isPaced, isExactCost, slots);
    }
  }

  /**
   * The moments of callers.
   *
   * @param stepMicros from the moment of one caller to that of the next; 0 if all get the same
   * @param moments their number, including that of the denied caller; then they start again
   */
  record Steps(long stepMicros, long moments) {}

  // toldNanos is the latest moment that a caller has got.
  private record Times(long askedNanos, long answeredNanos, long retryNanos) {}

  MixedDenial(
      PendingCharge denied, MixedAnswer answer, Terms terms, Returns returns, long answeredNanos) {
    this(denied.charge(), answer, terms, returns, new Times(denied.askedNanos(), answeredNanos, 0));
  }

  private MixedDenial(
      Charge charge, MixedAnswer answer, Terms terms, Returns returns, Times times) {
    this.answer = answer;
    this.charge = charge;
    this.terms = terms;
    this.returns = returns;
    this.askedNanos = times.askedNanos;
    this.answeredNanos = times.answeredNanos;
    this.askedAgainNanos = new AtomicLong(answeredNanos);
    this.returnedNanos = new AtomicLong(askedNanos);
    this.retryNanos = new AtomicLong(
        Math.max(times.retryNanos, answeredNanos + MICROSECONDS.toNanos(terms.waitMicros)));
  }

  /** The same after an earlier denial: no two callers get the same moment. */
  MixedDenial after(MixedDenial before) {
    if (!terms.isPaced || !before.terms.isPaced) {
      return this;
    }
    long step = Math.min(terms.steps.stepMicros(), before.terms.steps.stepMicros());
    return new MixedDenial(
        charge,
        answer,
        terms.withStep(step),
        returns,
        new Times(askedNanos, answeredNanos, before.retryNanos.get()));
  }

  boolean isOver(long nowNanos) {
    return nowNanos - answeredNanos > DenialCache.MAX_AGE_NANOS;
  }

  /** Whether it was asked later than {@code other}. */
  boolean isNewerThan(MixedDenial other) {
    return askedNanos - other.askedNanos >= 0;
  }

  /** Whether it applies to a charge of the same operation. */
  boolean concerns(Charge other) {
    if (other.revision() != charge.revision()) {
      return false;
    }
    return terms.isExactCost
        ? other.cost() == charge.cost() && isOfSameWish(other)
        : other.cost() >= charge.cost();
  }

  private boolean isOfSameWish(Charge other) {
    boolean wantsTicket = charge.ticket().wantsAlways();
    return other.ticket().wantsAlways() == wantsTicket
        && (wantsTicket || !other.ticket().wants());
  }

  /** Whether Redis would certainly deny as well. */
  boolean isCertain(long nowNanos) {
    long elapsed = NANOSECONDS.toMicros(nowNanos - askedNanos);
    boolean hasMoments = terms.steps.moments() <= 1 || next.get() < terms.steps.moments() - 1;
    return hasMoments
        && terms.certainMicros > elapsed + elapsed / DRIFT + 1
        && lastReturn() - askedNanos < 0;
  }

  /** Whether a caller may ask Redis if the denial is not certain. */
  boolean mayAsk(long nowNanos) {
    if (!terms.isPaced) {
      return true;
    }
    long last = askedAgainNanos.get();
    if (nowNanos - last >= PAUSE_NANOS && askedAgainNanos.compareAndSet(last, nowNanos)) {
      return true;
    }
    long returned = lastReturn();
    long counted = returnedNanos.get();
    if (returned - counted > 0 && returnedNanos.compareAndSet(counted, returned)) {
      hasRoom();
    }
    return asks.get() > 0 && asks.getAndDecrement() > 0;
  }

  private long lastReturn() {
    long last = Long.MIN_VALUE;
    for (int slot : terms.slots) {
      last = Math.max(last, returns.lastNanos(slot));
    }
    return terms.slots.isEmpty() ? askedNanos - 1 : last;
  }

  /** Records that there may be room: a request of the operation was admitted, or has given something back. */
  void hasRoom() {
    if (terms.isPaced && asks.get() < MOST_ASKS) {
      asks.updateAndGet(before -> Math.max(0, before) + ASKS_PER_ADMISSION);
    }
  }

  /** The denial of another caller. */
  StoreAnswer deny(Charge asked, long nowNanos) {
    long elapsed = NANOSECONDS.toMicros(nowNanos - answeredNanos);
    long wait = terms.isPaced && terms.steps.stepMicros() > 0
        ? NANOSECONDS.toMicros(nextRetry(nowNanos) - nowNanos)
        : terms.waitMicros + nextMoment() * terms.steps.stepMicros() - elapsed;
    long least = isCertain(nowNanos) ? 1 : NANOSECONDS.toMicros(PAUSE_NANOS);
    return answer.deniedLater(asked, Math.max(least, wait), elapsed);
  }

  private long nextMoment() {
    return terms.steps.moments() <= 1
        ? 0
        : 1 + next.getAndIncrement() % (terms.steps.moments() - 1);
  }

  private long nextRetry(long nowNanos) {
    long step = MICROSECONDS.toNanos(terms.steps.stepMicros());
    return retryNanos.updateAndGet(last -> {
      long later = Math.max(last, nowNanos) + step;
      long furthest = Math.max(FURTHEST_NANOS, SlotLimits.TURNS * step);
      return later - nowNanos > furthest ? nowNanos + step : later;
    });
  }
}
