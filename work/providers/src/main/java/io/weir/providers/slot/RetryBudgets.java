package io.weir.providers.slot;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The retry budgets of a node, by upstream. Safe for use by many threads. */
public final class RetryBudgets {
  /** A policy has at most a quarter of them. */
  private static final int MOST = 200;

  private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

  /** The budget of an upstream. */
  public RetryBudget of(String upstream) {
    if (budgets.size() > MOST) {
      budgets.clear(); // most are of earlier policies
    }
    return budgets.computeIfAbsent(upstream, name -> new RetryBudget(System.nanoTime()));
  }
}
