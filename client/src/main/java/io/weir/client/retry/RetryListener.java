package io.weir.client.retry;

import java.time.Duration;

/** Hears what becomes of calls; what it throws is logged and changes nothing. Called on any thread. */
public interface RetryListener {
  /** Hears nothing. */
  RetryListener NONE = new RetryListener() {};

  /** An upstream is called for the first time. */
  default void upstreamAppeared(UpstreamState upstream) {}

  /** An upstream was not called for long, and is forgotten to make room for others. */
  default void upstreamForgotten(String upstream) {}

  /**
   * A call will be sent again.
   *
   * @param reason the status, or the kind of failure
   */
  default void retrying(String upstream, String reason, Duration wait) {}

  /** A call that could have been sent again is not: its attempts, its budget or its time are used up. */
  default void exhausted(String upstream, String reason) {}

  /** A circuit breaker opened, closed, or tries. */
  default void breakerChanged(String upstream, BreakerState from, BreakerState to) {}
}
