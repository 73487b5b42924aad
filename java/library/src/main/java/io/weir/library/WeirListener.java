package io.weir.library;

import io.weir.core.decision.Decision;

/** Hears what happens in a {@link Weir}, for metrics and logs. It must not block: the thread that decides calls it, or the one that reads policies. */
public interface WeirListener {
  /** Hears nothing. */
  WeirListener NONE = new WeirListener() {};

  /** A request was decided; one that waits is decided at each of its attempts. Looks are not reported. */
  default void decided(AcquireRequest request, Decision decision) {}

  /**
   * A request could not be decided.
   *
   * @param error a {@link io.weir.core.throttle.StoreUnavailableException}, or what is wrong with the request
   */
  default void undecided(AcquireRequest request, Throwable error) {}

  /** Another revision of the policy counts from now on. */
  default void policyInForce(long revision) {}
}
