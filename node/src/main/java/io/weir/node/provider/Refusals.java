package io.weir.node.provider;

import io.weir.node.answer.ProblemDetails;
import io.weir.node.provider.ProviderPlaces.Places;

/** Refuses requests that an upstream has no place, or no provider for, each with a wait of its own. Owned by one event loop. */
final class Refusals {
  private static final ProblemDetails QUEUE_FULL = ProblemDetails.of(
      429, "upstream_queue_full", "Too many requests wait for the providers of this upstream");
  private static final ProblemDetails TOO_LATE = ProblemDetails.of(
      503, "upstream_queue_timeout", "No provider could take the request in time");
  private static final ProblemDetails OPEN = ProblemDetails.of(
      503, "upstream_open", "All providers of this upstream have failed and are left alone");

  private final Places places;

  Refusals(Places places) {
    this.places = places;
  }

  /** Whether a request has a place to wait, or gets one; else it is refused. */
  boolean hasPlace(Waiter waiter, Runnable displaced) {
    boolean hasPlace = waiter.takesPlace(places.waiting(), displaced);
    if (!hasPlace) {
      full(waiter);
    }
    return hasPlace;
  }

  void full(Waiter waiter) {
    refuse(waiter, QUEUE_FULL, 0);
  }

  /** @param leastMicros when somebody gets a turn again; 0 where nobody knows */
  void tooLate(Waiter waiter, long leastMicros) {
    refuse(waiter, TOO_LATE, leastMicros);
  }

  /** @param leastMicros when one of the providers is tried again */
  void open(Waiter waiter, long leastMicros) {
    refuse(waiter, OPEN, leastMicros);
  }

  private void refuse(Waiter waiter, ProblemDetails problem, long leastMicros) {
    long millis =
        places.estimates().waitMillis(leastMicros, places.waiting().taken(), System.nanoTime());
    waiter.refuse(problem.with("retryAfterMs", millis));
  }
}
