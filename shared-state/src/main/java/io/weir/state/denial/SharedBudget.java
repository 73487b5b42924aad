package io.weir.state.denial;

import java.util.HashSet;
import java.util.Set;

/**
 * Limits how often a node asks Redis for a shared bucket that it knows to be full. The first call of each tenant in a
 * fifth of a second is always allowed, so that no tenant uses up all calls of the others. Mutable; safe for use by many
 * threads.
 */
final class SharedBudget {
  private static final int MOST_TENANTS = 256;
  private static final long WINDOW_NANOS = 200_000_000;

  private final AskBudget all = new AskBudget(AskBudget.FEW);
  private final Set<String> tenants = new HashSet<>();
  private long window;

  /** Counts a call; returns whether it is within the limit. */
  synchronized boolean mayAsk(String tenant, long nowNanos, AskBudget.Pace pace) {
    long current = nowNanos / WINDOW_NANOS;
    if (window != current) {
      window = current;
      tenants.clear();
    }
    boolean isFirst = tenants.size() < MOST_TENANTS && tenants.add(tenant);
    return all.mayAsk(nowNanos, pace) || isFirst;
  }
}
