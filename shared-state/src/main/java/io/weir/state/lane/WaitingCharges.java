package io.weir.state.lane;

import io.weir.core.fair.FairQueue;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.wire.Lane;
import io.weir.state.wire.PendingCharge;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Charges that wait to be sent in one lane. If more wait than one call carries, the tenants take turns: a deficit round
 * robin by what their charges weigh (Shreedhar and Varghese, Efficient Fair Queuing Using Deficit Round-Robin, 1995), so
 * that a tenant of heavy charges takes no more of Redis's time than others. Any thread adds; one event loop takes.
 */
final class WaitingCharges {
  private static final int MOST = 100_000;
  /** The most weight of the charges of a tenant in one turn: any charge of a few limits has one turn. */
  private static final int TURN = 32;

  private final Lane lane;
  private final Queue<PendingCharge> came = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final FairQueue<String, PendingCharge> byTenant = new FairQueue<>();
  /** The weight that tenants have taken beyond their turns. */
  private final Map<String, Integer> debts = new HashMap<>();
  /** The charges that were sent and are undecided: those of the first call come first. */
  private final Deque<PendingCharge> undecided = new ArrayDeque<>();
  /** A charge for which the last call had no room. */
  private @Nullable PendingCharge leftOver;

  private boolean wasUndecided;

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
    PendingCharge first = undecided.poll();
    wasUndecided = first != null;
    if (first != null) {
      return first;
    }
    if (leftOver != null) {
      first = leftOver;
      leftOver = null;
      return first;
    }
    // If all waiting charges fit into the next call, turns are not needed.
    if (byTenant.isEmpty() && count.get() <= lane.maxCharges() && !lane.hasOthers()) {
      return came.poll();
    }
    takeTurns();
    return nextInTurn();
  }

  private @Nullable PendingCharge nextInTurn() {
    while (!byTenant.isEmpty()) {
      String tenant = byTenant.firstKey();
      int debt = debts.getOrDefault(tenant, 0) - TURN;
      if (debt <= 0) {
        debts.remove(tenant);
        return byTenant.poll(tenant);
      }
      debts.put(tenant, debt);
      byTenant.comesLast(tenant);
    }
    return null;
  }

  /** Removes the charge from the waiting ones. */
  void took(PendingCharge pending, int weight) {
    count.decrementAndGet();
    String tenant = pending.charge().tenant();
    if (byTenant.countOf(tenant) > 0) {
      debts.merge(tenant, weight, Integer::sum);
    }
  }

  /** Puts the charge that was taken last in front for the next time. */
  void putBack(PendingCharge pending) {
    if (wasUndecided) {
      undecided.addFirst(pending);
    } else {
      leftOver = pending;
    }
  }

  /**
   * Takes back charges that were sent and are undecided, to be the next ones, behind those of earlier calls: in front of
   * these, the charges of each call would push back those of the one before.
   */
  void takeBack(List<PendingCharge> sent) {
    count.addAndGet(sent.size());
    undecided.addAll(sent);
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
