package io.weir.client.retry;

import java.time.Duration;

/** Receives the events of calls; its exceptions are logged and change nothing. Called on any thread. */
public interface RetryListener {
  /** Ignores all events. */
  RetryListener NONE = new RetryListener() {};

  /** An upstream is called for the first time. */
  default void upstreamAppeared(UpstreamState upstream) {}

  /** An upstream was not called for long and is removed to make room for others. */
  default void upstreamForgotten(String upstream) {}

  /**
   * A call will be retried.
   *
   * @param reason the status, or the kind of failure
   */
  default void retrying(String upstream, String reason, Duration wait) {}

  /** A call that could have been retried is not: its attempts, its budget or its time are used up. */
  default void exhausted(String upstream, String reason) {}

  /** A circuit breaker changed its state. */
  default void breakerChanged(String upstream, BreakerState from, BreakerState to) {}
}
