package io.weir.library;

import io.weir.core.decision.Decision;

/** Hears what happens in a {@link Weir}, for metrics and logs. Called by the thread that decides: it must not block. */
public interface WeirListener {
  /** Hears nothing. */
  WeirListener NONE = new WeirListener() {};

  /** An ask was decided. */
  default void decided(Ask ask, Decision decision) {}

  /**
   * An ask could not be decided.
   *
   * @param error a {@link io.weir.core.throttle.StoreUnavailableException}, or what is wrong with the ask
   */
  default void undecided(Ask ask, Throwable error) {}

  /** Another revision of the policy counts from now on. */
  default void policyInForce(long revision) {}
}
