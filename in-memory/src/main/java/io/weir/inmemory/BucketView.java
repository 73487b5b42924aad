package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.MOST_WAIT_US;
import static io.weir.core.slot.SlotLimits.WHOLE;
import static java.util.Objects.requireNonNull;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One bucket as one request sees it: what is free beside all that is due. Mutable; lives for one charge. {@code
 * lua/lib/queue/view.lua} has the same.
 */
final class BucketView {
  private final Demand demand;
  private final long cost;
  private final Need need;
  private final long now;
  private BucketState state;
  private @Nullable Calendar calendar;
  private final Line line;
  private final long waiting; // keys or tenants, with this one among them
  private long spare; // units that are left free for other callers
  private boolean wasPlain = true; // nothing was due when it was judged
  private long free; // in quanta, unless it was plain
  private long forLarger; // units that are left free for a larger cost that waits
  private boolean isHeld; // by a place of this request, which was given back
  private long heldBin;
  private boolean isRefused;

  /** @param line of the key in a bucket of its tenant, of the tenant in one of the cluster; unused in a key's own */
  BucketView(
      Demand demand,
      long cost,
      long now,
      BucketState state,
      @Nullable Calendar calendar,
      Line line) {
    this.demand = demand;
    this.cost = cost;
    this.need = Need.of(cost, demand.bucket());
    this.now = now;
    this.state = state;
    this.calendar = calendar;
    this.line = line;
    this.waiting = isShared() && calendar != null ? calendar.waiting.with(line, now) : 1;
  }

  Demand demand() {
    return demand;
  }

  Bucket bucket() {
    return demand.bucket();
  }

  BucketState state() {
    return state;
  }

  private Calendar calendar() {
    return requireNonNull(calendar);
  }

  Optional<Calendar> maybeCalendar() {
    return Optional.ofNullable(calendar);
  }

  Line line() {
    return line;
  }

  boolean isShared() {
    return bucket().scope() != Scope.KEY;
  }

  /** Whether it holds a place. */
  boolean holds(boolean isShared) {
    return isShared || !isShared();
  }

  Need need() {
    return need;
  }

  /** How far ahead its estimates, turns and shares are at most. */
  long furthestMicros() {
    return need.furthestMicros(calendar);
  }

  long waiting() {
    return waiting;
  }

  long now() {
    return now;
  }

  /** Whether nothing was due when it was judged. */
  boolean wasPlain() {
    return wasPlain;
  }

  boolean isRefused() {
    return isRefused;
  }

  /**
   * Whether a shared bucket has room for the request, which waits for another one, and no other key or tenant waits: then
   * a place takes nothing from anybody, whatever share was had.
   */
  boolean isOpen() {
    return isShared() && waiting() == 1 && !isRefused;
  }

  /** The time in which that drains which the bucket can hold beside the cost. */
  long besideMicros() {
    return (bucket().capacityUnits() - cost) / bucket().unitsPerMicro();
  }

  boolean isNever() {
    return !LeakyBucket.canHold(bucket(), cost);
  }

  boolean isAlive(long moment) {
    return calendar != null && calendar.bin(moment) >= calendar.base();
  }

  /** Gives back the place of this request; one that comes early is judged as a newcomer. */
  void giveBack(long moment, boolean isEarly) {
    isHeld = !isEarly;
    heldBin = calendar().bin(moment);
    calendar().remove(heldBin, quanta(cost));
  }

  /** Restores the place: its holder came early and there is no room yet. */
  void restore() {
    calendar().add(heldBin, quanta(cost));
  }

  /** Whether the bucket lets it pass: with a place by its level alone, else beside all that is due. */
  boolean hasRoom(boolean waited, boolean wantsTicket) {
    if (isHeld || calendar == null) {
      return hasRoomBeside(0);
    }
    forLarger = waited ? 0 : calendar.larger.leftBy(cost, now);
    return hasRoomBeside(Math.max(forLarger, Spare.of(this, cost, waited, wantsTicket)));
  }

  /** The same with no regard for others who wait: the answer for a plan without slots. */
  boolean hasRoom() {
    return hasRoomBeside(0);
  }

  private boolean hasRoomBeside(long others) {
    spare = others;
    wasPlain = isPlain();
    free = wasPlain ? 0 : calendar().free(state.usedUnits(), now);
    isRefused = (isHeld || wasPlain)
        ? state.usedUnits() > bucket().capacityUnits() - cost - spare
        : free < quanta(cost) + quanta(spare);
    return !isRefused;
  }

  private boolean isPlain() {
    Calendar of = calendar;
    return of == null || of.isEmpty();
  }

  private long quanta(long units) {
    return calendar().quanta(units);
  }

  /** The wait until it has room beside what is due by then. */
  long waitMicros() {
    if (isPlain()) {
      long missing = state.usedUnits() - (bucket().capacityUnits() - cost - spare);
      return Need.wait(missing, bucket());
    }
    Calendar of = calendar();
    long missing = of.dueBy(now) + quanta(cost) + quanta(spare) - of.room(state.usedUnits());
    return Math.min(MOST_WAIT_US, of.micros(Math.max(0, missing)));
  }

  /** The wait until a newcomer has room beside all that is due, if nobody else comes. */
  long newcomerWaitMicros() {
    if (isPlain()) {
      return waitMicros();
    }
    return Math.min(MOST_WAIT_US, calendar().waitMicros(neededQuanta(1), state.usedUnits(), now));
  }

  /** Takes the cost. */
  void take() {
    state = state.admitting(cost, bucket());
    Calendar of = calendar;
    if (of == null) {
      return;
    }
    of.larger.take(cost);
    free -= wasPlain ? 0 : of.quanta(cost);
    if (isHeld) {
      of.claims.claim(of.quanta(cost));
    } else if (isShared()) {
      takes(of, need.micros(), waiting, 1);
    }
  }

  // A key or tenant waits for a shared bucket if it has had more than its share.
  private void takes(Calendar of, long each, long share, long parts) {
    line.takes(each, share, parts, now, now + need.furthestMicros(of));
    if (isShared() && line.served > now) {
      of.waiting.count(line, now);
    }
  }

  /** How long after its slot a ticket shows that its holder has waited. */
  long waitedMicros() {
    return Pace.of(bucket().rate()).waitedMicros();
  }

  /** The request waits without a place until then. */
  void waitsUntil(long end) {
    needCalendar().larger.waits(cost, bucket().capacityUnits(), now, end);
  }

  /** The wait until its level alone lets the cost pass, beside a larger one. */
  long levelWaitMicros() {
    long missing = state.usedUnits() + cost + forLarger - bucket().capacityUnits();
    return Need.wait(missing, bucket());
  }

  /** Whether two such costs fill it, or are too much. */
  boolean isHalf() {
    return 2 * cost >= bucket().capacityUnits();
  }

  /** Whether two such costs are too much for it. */
  boolean isAboveHalf() {
    return 2 * cost > bucket().capacityUnits();
  }

  /** Whether a gap between places for such costs would be too small for anybody, while they are claimed. */
  boolean hasNoGaps() {
    return isShared() && isAboveHalf() && needCalendar().claims.areMost();
  }

  /** Begins a calendar if there is none, and anew if nothing is due and its bins do not suit the cost. */
  Calendar needCalendar() {
    Calendar of = calendar == null ? Calendar.begin(demand, cost, now) : calendar;
    boolean suits = !of.isEmpty() || of.lives == Bins.of(demand, cost).lives();
    calendar = suits ? of : of.refined(demand, cost, now);
    return calendar;
  }

  /** Whether any of its bins may be promised to this request. */
  boolean isMine(boolean waited) {
    return isHeld || (line.served <= now && (waited || line.turn <= now));
  }

  /** Holds so many costs in the bin of an instant, for one that wants a ticket or not; returns when that bin is over. */
  long hold(long moment, long times, boolean wantsTicket) {
    Calendar of = needCalendar();
    long bin = of.bin(moment);
    of.add(bin, of.quanta(cost, times));
    long parts = of.claims.parts();
    long each = need.micros(times);
    if (isShared()) {
      takes(of, each, WHOLE * (waiting + (wantsTicket && hasNoGaps() ? 0 : 1)), parts);
    } else if (parts < WHOLE) {
      takes(of, each, WHOLE, parts);
    }
    return of.startOf(bin + of.lives);
  }

  /** The room that a place for so many costs needs in a bin, beside a larger one that waits. */
  long neededQuanta(long times) {
    Calendar of = needCalendar();
    return of.quanta(cost, times) + of.quanta(forLarger);
  }

  long costQuanta() {
    return needCalendar().quanta(cost);
  }

  /** The units used as a newcomer sees them, with all that was due when it was judged. */
  long shownUnits() {
    long capacity = bucket().capacityUnits();
    long used = state.usedUnits();
    if (wasPlain) {
      return isRefused ? Math.max(used, Math.min(capacity, used + spare)) : used;
    }
    long left = calendar().units(Math.max(0, free)) - (isRefused ? spare : 0);
    return Math.max(used, capacity - Math.max(0, left));
  }
}
