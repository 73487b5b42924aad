package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ended.Status;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Ending.Settled;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Held.Permit;
import io.weir.inmemory.Memory.Holder;
import io.weir.inmemory.Memory.Holding;
import io.weir.inmemory.Reservation.OfBucket;
import io.weir.inmemory.Reservation.OfKind;
import java.util.List;
import java.util.Optional;

/** Ends and renews holds in a memory. The first end counts. */
final class HoldEndings {
  private final Memory memory;
  private final long now;
  private final MarkedBuckets marked;

  HoldEndings(Memory memory, long nowMicros) {
    this.memory = memory;
    this.now = nowMicros;
    this.marked = new MarkedBuckets(memory, nowMicros);
  }

  Ended end(Held held, Ending ending) {
    if (ending instanceof Ending.Released) {
      return released(held);
    }
    Holding holding =
        memory.reservation(held.tenant(), held.subject(), held.id(), now).orElse(null);
    if (holding != null && holding.ended().isPresent()) {
      Ended before = holding.ended().get();
      return new Ended(before.status(), true, before.cost());
    }
    boolean isDue = holding != null && holding.reservation().expiresMicros() <= now;
    if (ending instanceof Ending.Expired && holding != null && !isDue) {
      return new Ended(Status.OPEN, false, holding.reservation().cost());
    }
    Ended released = released(held);
    if (holding == null) {
      return released;
    }
    Ended ended = settle(held, holding.reservation(), ending);
    memory.end(held, ended, now);
    return ended;
  }

  private Ended released(Held held) {
    boolean wasHeld = false;
    for (Permit permit : held.permits()) {
      wasHeld |= release(held, permit);
    }
    return new Ended(wasHeld ? Status.RELEASED : Status.UNKNOWN_HOLD, false, 0);
  }

  boolean renew(Held held) {
    boolean isHeld = true;
    for (Permit permit : held.permits()) {
      isHeld &= memory.renew(
          owner(held, permit), permit.name(), holder(held), now, now + held.leaseMicros());
    }
    boolean isReserved = !held.reserves() || memory.renew(held, now);
    return isHeld && isReserved;
  }

  private boolean release(Held held, Permit permit) {
    Object owner = owner(held, permit);
    if (!memory.release(owner, permit.name(), holder(held), now)) {
      return false;
    }
    Counter before = memory.counter(owner, permit.name(), now);
    memory.put(owner, permit.name(), PermitsModel.released(before, now), now);
    return true;
  }

  private Ended settle(Held held, Reservation reservation, Ending ending) {
    boolean isAsReserved =
        ending instanceof Settled settled && settled.cost() == Ending.AS_RESERVED;
    boolean isKept =
        isAsReserved || (ending instanceof Ending.Expired && !reservation.refundsOnExpiry());
    long actual =
        isKept ? reservation.cost() : ending instanceof Settled settled ? settled.cost() : 0;
    boolean isAll = !(ending instanceof Settled) && !isKept;
    boolean isCapped = false;
    for (OfBucket bucket : reservation.buckets()) {
      isCapped |= !isAll && reservation.isBeyondCounting(bucket, actual);
      isCapped |= apply(
          held, bucket, isAll ? reservation.refund(bucket) : reservation.owed(bucket, actual));
    }
    for (OfKind kind : reservation.kinds()) {
      apply(held, kind, reservation, isAll, actual);
    }
    Status status = ending instanceof Settled
        ? Status.SETTLED
        : ending instanceof Ending.Cancelled ? Status.CANCELLED : Status.EXPIRED;
    return new Ended(status, false, actual, isCapped);
  }

  private void apply(Held held, OfKind kind, Reservation reservation, boolean isAll, long actual) {
    Object owner = Memory.owner(held.tenant(), held.subject(), kind.demand().scope());
    Counter before = memory.counter(owner, kind.demand().name(), now);
    long delta = reservation.charged(actual) - reservation.charged(reservation.cost());
    long counted = kind.demand().counted(reservation.charged(reservation.cost()));
    memory.put(
        owner,
        kind.demand().name(),
        KindModel.of(kind.demand())
            .settled(before, kind.mark(), isAll ? -counted : delta, isAll, now),
        now);
  }

  // Whether the bucket owes less than that, because it cannot count more.
  private boolean apply(Held held, OfBucket taken, long owed) {
    if (owed == 0) {
      return false;
    }
    Object owner = Memory.owner(held.tenant(), held.subject(), taken.bucket().scope());
    State stored = memory.state(owner);
    long at = Math.max(stored.atMicros(), now);
    // A calendar that is far ahead of a clock that was set back is of no use, as for a charge.
    State state = stored.at(now).at(at);
    state.moveTo(at);
    Bucket bucket = taken.bucket();
    Optional<BucketState> before = state.bucket(bucket.name());
    if (before.isEmpty() && owed < 0) {
      return false;
    }
    BucketState present = before.orElseGet(() -> BucketState.empty(at, bucket));
    long units = scaled(Math.abs(owed), bucket, present);
    long capacity = scaled(bucket.capacityUnits(), bucket, present);
    BucketState after = owed < 0
        ? marked.undone(owner, taken, present, units, capacity)
        : present.owing(units, capacity);
    state.put(bucket.name(), after);
    memory.put(owner, state);
    return owed > 0 && after.isAtItsEnd();
  }

  private static long scaled(long units, Bucket from, BucketState to) {
    return from.unitsPerMicro() == to.rate().unitsPerMicro()
        ? units
        : OtherRate.rescaled(units, from.unitsPerMicro(), to.rate().unitsPerMicro(), Counter.MOST);
  }

  private static Holder holder(Held held) {
    return new Holder(held.tenant(), held.subject(), held.id());
  }

  private static Object owner(Held held, Permit permit) {
    return Memory.owner(held.tenant(), held.subject(), permit.scope());
  }

  /** Ends the reservations that are due, the earliest first. */
  int expire(int most) {
    List<Held> due = memory.due(now, most);
    due.forEach(held -> end(held, new Ending.Expired()));
    return due.size();
  }
}
