package io.weir.node.job;

import io.weir.policy.Subject;
import java.util.HashMap;
import java.util.Map;

/** How often a key may ask the shared state about jobs. Mutable; owned by one event loop. */
final class JobBudget {
  /** By each event loop of a node: at some 15 µs each it takes less than a hundredth of Redis. */
  static final int PER_SECOND = 500;

  private static final long SECOND_NANOS = 1_000_000_000;

  private final Map<String, Integer> asked = new HashMap<>();
  private long secondBegan = System.nanoTime();

  /** Whether the key may ask once more in this second. */
  boolean mayAsk(Subject subject) {
    long now = System.nanoTime();
    if (now - secondBegan >= SECOND_NANOS) {
      asked.clear();
      secondBegan = now;
    }
    return asked.merge(subject.id(), 1, Integer::sum) <= PER_SECOND;
  }
}
