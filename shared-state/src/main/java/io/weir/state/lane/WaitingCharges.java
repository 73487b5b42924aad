package io.weir.state.lane;

import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.core.turn.FairTurns;
import io.weir.state.wire.Lane;
import io.weir.state.wire.PendingCharge;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Charges that wait to be sent in one lane. If more wait than one call carries, the tenants take turns. Any thread
 * adds; one event loop takes.
 */
final class WaitingCharges {
  private static final int MOST = 100_000;

  private final Lane lane;
  private final Queue<PendingCharge> came = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FairTurns<String, PendingCharge> byTenant = new FairTurns<>();
  private @Nullable PendingCharge leftOver;

  WaitingCharges(Lane lane) {
    this.lane = lane;
  }

  /** Adds a charge; if too many wait, fails it and returns false. */
  boolean add(PendingCharge pending) {
    if (count.incrementAndGet() > MOST) {
      refuse(pending);
      return false;
    }
    return came.add(pending);
  }

  int count() {
    return count.get();
  }

  /** The next charge, which waits until {@link #took}; null if none waits. */
  @Nullable
  PendingCharge next() {
    PendingCharge first = leftOver;
    leftOver = null;
    if (first != null) {
      return first;
    }
    // If all waiting charges fit into the next call, turns are not needed.
    if (byTenant.isEmpty() && count.get() <= lane.maxCharges() && !lane.hasOthers()) {
      return came.poll();
    }
    takeTurns();
    return byTenant.poll().orElse(null);
  }

  /** Removes the charge from the waiting ones. */
  void took() {
    count.decrementAndGet();
  }

  /** Puts the charge in front for the next time. */
  void putBack(PendingCharge pending) {
    leftOver = pending;
  }

  private void takeTurns() {
    for (PendingCharge each = came.poll(); each != null; each = came.poll()) {
      String tenant = each.charge().tenant();
      if (byTenant.countOf(tenant) < lane.maxOfTenant()) {
        byTenant.add(tenant, each);
      } else {
        refuse(each);
      }
    }
  }

  private void refuse(PendingCharge pending) {
    count.decrementAndGet();
    pending.completeExceptionally(new StoreUnavailableException(
        StoreFault.OVERLOADED, "Redis is behind: too many charges wait already", null));
  }
}
