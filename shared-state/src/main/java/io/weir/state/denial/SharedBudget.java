package io.weir.state.denial;

import java.util.HashSet;
import java.util.Set;

/**
 * Limits how often a node asks Redis in a tenth of a second for a shared bucket that it knows to be full. The first
 * call of each tenant is always allowed, so that no tenant uses up all calls of the others. Mutable; safe for use by
 * many threads.
 */
final class SharedBudget {
  private static final int MOST_TENANTS = 256;

  private final Set<String> tenants = new HashSet<>();
  private long window;
  private long asked;

  /** Counts a call; returns whether it is within the limit. */
  synchronized boolean mayAsk(String tenant, long nowNanos, long most) {
    long current = nowNanos / AskBudget.WINDOW_NANOS;
    if (window != current) {
      window = current;
      asked = 0;
      tenants.clear();
    }
    boolean isFirst = tenants.size() < MOST_TENANTS && tenants.add(tenant);
    return ++asked <= most || isFirst;
  }
}
