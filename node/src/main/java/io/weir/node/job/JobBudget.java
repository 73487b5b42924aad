package io.weir.node.job;

import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.policy.Subject;
import java.util.HashMap;
import java.util.Map;

/** How often a key may ask the shared state about jobs, whether it submits or looks. Mutable; owned by one event loop. */
public final class JobBudget {
  /** By each event loop of a node: such a question costs Redis some 20 µs, and as much again for each 10 KiB of a result. */
  private static final int PER_SECOND = 500;

  private static final long SECOND_NANOS = 1_000_000_000;
  private static final ProblemDetails TOO_OFTEN =
      ProblemDetails.of(429, "polled_too_often", "This API key asks for its jobs too often");

  private final Map<String, Integer> asked = new HashMap<>();
  private long secondBegan = System.nanoTime();

  /** Counts a question; throws {@link RefusedException} where the key has asked too often in this second. */
  void require(Subject subject) {
    long now = System.nanoTime();
    if (now - secondBegan >= SECOND_NANOS) {
      asked.clear();
      secondBegan = now;
    }
    if (asked.merge(subject.id(), 1, Integer::sum) > PER_SECOND) {
      throw new RefusedException(TOO_OFTEN);
    }
  }
}
