package io.weir.providers.queue;

import io.weir.node.answer.ProblemDetails;
import io.weir.providers.queue.QueueCapacities.Capacity;

/**
 * Refuses requests for which an upstream has no place or no provider, each with its own estimate. Owned by one event
 * loop.
 */
record Refusals(Capacity capacity) {
  private static final ProblemDetails QUEUE_FULL = ProblemDetails.of(
      429, "upstream_queue_full", "Too many requests wait for the providers of this upstream");
  private static final ProblemDetails TOO_LATE = ProblemDetails.of(
      503, "upstream_queue_timeout", "No provider could take the request in time");
  private static final ProblemDetails OPEN = ProblemDetails.of(
      503, "upstream_open", "All providers of this upstream have failed and are left alone");

  /** Takes a place for a request that has none; refuses the request if there is no place. */
  boolean hasPlace(Waiter waiter, Runnable displaced) {
    boolean hasPlace = waiter.takesPlace(capacity.waiting(), displaced);
    if (!hasPlace) {
      full(waiter);
    }
    return hasPlace;
  }

  void full(Waiter waiter) {
    refuse(waiter, QUEUE_FULL, 0);
  }

  /** @param leastMicros the time until the next turn; 0 if it is unknown */
  void tooLate(Waiter waiter, long leastMicros) {
    refuse(waiter, TOO_LATE, leastMicros);
  }

  /** @param leastMicros the time until one of the providers is probed */
  void open(Waiter waiter, long leastMicros) {
    refuse(waiter, OPEN, leastMicros);
  }

  private void refuse(Waiter waiter, ProblemDetails problem, long leastMicros) {
    long millis =
        capacity.estimates().waitMillis(leastMicros, capacity.waiting().taken(), System.nanoTime());
    waiter.refuse(problem.with("retryAfterMs", millis));
  }
}
