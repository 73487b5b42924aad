package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.FURTHEST_US;
import static io.weir.core.slot.SlotLimits.LONGEST_US;
import static io.weir.core.slot.SlotLimits.MAX_UNITS;
import static io.weir.core.slot.SlotLimits.QUANTA;
import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.TICKET_TURNS;
import static io.weir.core.slot.SlotLimits.TURNS;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;

/**
 * How much of a bucket is due in each of its next bins of time, while callers wait for it; {@code
 * docs/explanation/slots.md} has the rules and why the promises hold. It counts in quanta: single units, or a part of
 * the capacity that keeps every sum below 2⁵³. Costs are rounded up, capacity and drain down. Mutable; owned by the
 * state of the bucket. {@code lua/lib/queue/calendar.lua} has the same.
 */
final class Calendar {
  private static final long ERAS = 1L << 32;

  /** Far above any calendar's capacity, and far enough from the greatest number to add to it. */
  private static final long MOST_QUANTA = 1L << 61;

  /** Distinguishes it from earlier calendars of the bucket. */
  final long era;

  private final long capacity;
  private final Rate rate;
  final Pace pace;
  final Bins bins;

  final long width;
  final int lives;

  private final long quantum;
  private final long step;
  private final long most;

  private BinAmounts due = BinAmounts.from(0);

  /** How much of what is promised is claimed. */
  final Claims claims;

  /** The last turn of a newcomer. */
  long turn;

  /** The last turn of a caller that had waited. */
  long again;

  /** The largest cost that waits without a place. */
  final Larger larger;

  /** The waiting keys or tenants, counted by intervals. */
  final Waiting waiting;

  /** Its counts of waiting callers. */
  private record Counts(Claims claims, Waiting waiting, Larger larger) {}

  private Calendar(long era, long capacity, Rate rate, Bins bins, Counts counts) {
    this.era = era;
    this.capacity = capacity;
    this.rate = rate;
    this.pace = Pace.of(rate);
    this.bins = bins;
    this.width = bins.width();
    this.lives = bins.lives();
    this.claims = counts.claims();
    this.waiting = counts.waiting();
    this.larger = counts.larger();
    this.quantum = ceilDiv(capacity, QUANTA);
    long inBin = rate.unitsPerMicro() * width;
    this.step = inBin / quantum;
    this.most = capacity / quantum - (lives + 1) * ceilDiv(inBin, quantum);
  }

  /**
   * An empty calendar, whose bins suit the cost that begins it.
   *
   * @param cost in units
   */
  static Calendar begin(Demand demand, long cost, long now) {
    Bucket bucket = demand.bucket();
    Waiting waiting = new Waiting(Pace.of(bucket.rate()).sharedMicros());
    Counts counts = new Counts(new Claims(now), waiting, new Larger());
    Calendar begun = new Calendar(
        now % ERAS, bucket.capacityUnits(), bucket.rate(), Bins.of(demand, cost), counts);
    begun.due = BinAmounts.from(now / begun.width - begun.lives + 1);
    return begun;
  }

  /** The same with the bins for a cost, while nothing is due; no ticket of this one holds a place any more. */
  Calendar refined(Demand demand, long cost, long now) {
    Calendar refined = new Calendar(now % ERAS, capacity, rate, Bins.of(demand, cost), counts());
    refined.due = BinAmounts.from(now / refined.width - refined.lives + 1);
    refined.turn = turn;
    refined.again = again;
    return refined;
  }

  Calendar copy() {
    Counts copies = new Counts(claims.copy(), waiting.copy(), larger.copy());
    Calendar copy = new Calendar(era, capacity, rate, bins, copies);
    copy.due = due.copy();
    copy.turn = turn;
    copy.again = again;
    return copy;
  }

  private Counts counts() {
    return new Counts(claims, waiting, larger);
  }

  /** Whether it is for the rate and the burst of this bucket. */
  boolean isOf(Bucket bucket) {
    return rate.equals(bucket.rate()) && capacity == bucket.capacityUnits();
  }

  /** Whether the clock went so far back that it is of no use. */
  boolean isFarAhead(long now) {
    return end() > bin(now) + 2 * bins.most();
  }

  /** Forgets what is over, and counts how much of it was claimed. */
  void advance(long now) {
    due.advance(bin(now) - lives + 1, claims::lose);
    waiting.dropAhead(now);
    larger.dropAhead(now + furthestMicros());
    claims.advance(now);
  }

  // How far ahead a cost of the whole bucket waits at most.
  private long furthestMicros() {
    long burst = Math.min(LONGEST_US, ceilDiv(capacity, rate.unitsPerMicro()));
    return Math.max(FURTHEST_US, Math.min(TURNS * LONGEST_US, TICKET_TURNS * burst))
        + 2 * SECOND_US;
  }

  /** Whether nothing of it matters any more. */
  boolean isOver(long now) {
    return isEmpty()
        && turn <= now
        && again <= now
        && larger.isOver(now)
        && waiting.isOver(now)
        && claims.isOver(now, pace);
  }

  /** Whether nothing is due. */
  boolean isEmpty() {
    return due.isEmpty();
  }

  long bin(long micros) {
    return micros / width;
  }

  long startOf(long bin) {
    return bin * width;
  }

  long base() {
    return due.base();
  }

  /** The bin behind the last one in use. */
  long end() {
    return due.end();
  }

  long dueIn(long bin) {
    return due.in(bin);
  }

  /** The time from the start of a bin after which as much as is due in it has drained. */
  long drainMicros(long bin) {
    return dueIn(bin) * quantum / rate.unitsPerMicro();
  }

  void add(long bin, long quanta) {
    due.add(bin, quanta);
  }

  /** Takes back, at most what is due there. */
  void remove(long bin, long quanta) {
    due.remove(bin, quanta);
  }

  /** Units in quanta, rounded up. */
  long quanta(long units) {
    return ceilDiv(units, quantum);
  }

  /** So many costs in quanta; {@link #MOST_QUANTA} if they are more. */
  long quanta(long units, long times) {
    long each = quanta(units);
    return times > MOST_QUANTA / each ? MOST_QUANTA : each * times;
  }

  long units(long quanta) {
    return quanta * quantum;
  }

  /** The room at this level, as if nothing were due; below 0 if there is a debt. */
  long room(long level) {
    return capacity / quantum - quanta(level);
  }

  /** How much may be due at once beyond what drains in a bin. */
  long most() {
    return most;
  }

  long step() {
    return step;
  }

  /** The amount that drains from now until a bin begins. */
  long drains(long bin, long now) {
    long current = bin(now);
    if (bin <= current) {
      return 0;
    }
    long first = rate.unitsPerMicro() * ((current + 1) * width - now) / quantum;
    return first + (bin - current - 1) * step;
  }

  /** The room for a newcomer beside all that is due. */
  long free(long level, long now) {
    long room = room(level);
    long free = room;
    long total = 0;
    for (long bin = base(); bin < end(); bin++) {
      total += dueIn(bin);
      if (bin >= bin(now) || bin == end() - 1) {
        free = Math.min(free, room - total + drains(bin, now));
      }
    }
    return free;
  }

  /** The amount that is due by now. */
  long dueBy(long now) {
    long total = 0;
    for (long bin = base(); bin < end() && bin <= bin(now); bin++) {
      total += dueIn(bin);
    }
    return total;
  }

  /** The wait until a newcomer has room for a cost beside all that is due, if nobody else comes. */
  long waitMicros(long cost, long level, long now) {
    long missing = cost - room(level);
    long wait = 1;
    for (long bin = base(); bin < end(); bin++) {
      missing += dueIn(bin);
      long beyond = missing - drains(bin, now);
      if (beyond > 0) {
        wait = Math.max(wait, Math.max(0, startOf(bin) - now) + micros(beyond));
      }
    }
    return wait;
  }

  /** How long as much takes to drain. */
  long micros(long quanta) {
    long units = quanta > MAX_UNITS / quantum ? MAX_UNITS : units(quanta);
    return ceilDiv(units, rate.unitsPerMicro());
  }
}
