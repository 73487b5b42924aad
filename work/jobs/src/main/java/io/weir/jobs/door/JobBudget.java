package io.weir.jobs.door;

import io.weir.core.policy.Subject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds how often a key may ask the shared state about jobs, by submitting or looking. Mutable; owned by one event
 * loop.
 */
public final class JobBudget {
  /** For each event loop of a node: one call costs Redis about 20 µs, and as much again for each 10 KiB of a result. */
  private static final int PER_SECOND = 500;

  private static final long SECOND_NANOS = 1_000_000_000;
  private static final ProblemDetails TOO_OFTEN =
      ProblemDetails.of(429, "polled_too_often", "This API key asks for its jobs too often");

  private final Map<String, Integer> asked = new HashMap<>();
  private long secondBegan = System.nanoTime();

  /** Counts a call; throws {@link RefusedException} if the key has made too many in this second. */
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
