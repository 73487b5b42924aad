package io.weir.state.redis;

import io.weir.state.redis.wire.PendingCharge;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Charges that wait to be sent, one of each tenant in turn, so that no tenant waits behind all charges of another
 * tenant. Those of one tenant keep their order. Mutable; used on one event loop.
 */
final class FairQueue {
  private final int maxOfTenant;
  private final Map<String, Queue<PendingCharge>> byTenant = new HashMap<>();
  private final Queue<Queue<PendingCharge>> turns = new ArrayDeque<>();

  /** @param maxOfTenant the most waiting charges of one tenant */
  FairQueue(int maxOfTenant) {
    this.maxOfTenant = maxOfTenant;
  }

  boolean isEmpty() {
    return turns.isEmpty();
  }

  /** Adds a charge, unless too many of its tenant wait. */
  boolean add(PendingCharge pending) {
    Queue<PendingCharge> waiting =
        byTenant.computeIfAbsent(pending.charge().tenant(), name -> new ArrayDeque<>());
    if (waiting.size() >= maxOfTenant) {
      return false;
    }
    if (waiting.isEmpty()) {
      turns.add(waiting);
    }
    return waiting.add(pending);
  }

  /** The next charge; null if none waits. */
  @Nullable
  PendingCharge poll() {
    Queue<PendingCharge> waiting = turns.poll();
    if (waiting == null) {
      return null;
    }
    PendingCharge next = waiting.remove();
    if (waiting.isEmpty()) {
      byTenant.remove(next.charge().tenant());
    } else {
      turns.add(waiting);
    }
    return next;
  }
}
