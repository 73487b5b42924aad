package io.weir.state.redis;

import io.weir.state.redis.wire.PendingCharge;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Charges that wait to be sent, one of each tenant in turn, so that nobody waits behind all of another's. Those of
 * one tenant keep their order. Mutable; used on one event loop.
 */
final class FairQueue {
  private static final int MAX_OF_TENANT = 4096;

  private final Map<String, Queue<PendingCharge>> byTenant = new HashMap<>();
  private final Queue<String> turns = new ArrayDeque<>();

  /** Adds a charge, unless too many of its tenant wait. */
  boolean add(PendingCharge pending) {
    String tenant = pending.charge().tenant();
    Queue<PendingCharge> waiting = byTenant.computeIfAbsent(tenant, name -> new ArrayDeque<>());
    if (waiting.size() >= MAX_OF_TENANT) {
      return false;
    }
    if (waiting.isEmpty()) {
      turns.add(tenant);
    }
    return waiting.add(pending);
  }

  /** The next one; null where nobody waits. */
  @Nullable
  PendingCharge poll() {
    String tenant = turns.poll();
    if (tenant == null) {
      return null;
    }
    Queue<PendingCharge> waiting = byTenant.get(tenant);
    PendingCharge next = waiting == null ? null : waiting.poll();
    if (waiting != null && waiting.isEmpty()) {
      byTenant.remove(tenant);
    } else {
      turns.add(tenant);
    }
    return next;
  }
}
