package io.weir.state.redis;

import java.util.HashSet;
import java.util.Set;

/**
 * How often a node asks Redis in a tenth of a second for a shared bucket that it knows to be full. The first question of each
 * tenant is always among them, so that no tenant takes all of them from the others. Mutable; safe for use by many threads.
 */
final class SharedBudget {
  private static final int MOST_TENANTS = 256;

  private final Set<String> tenants = new HashSet<>();
  private long window;
  private long asked;

  /** Counts a question, and says whether it is within the bound. */
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
