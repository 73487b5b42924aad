package io.weir.client.retry;

/** The state of a circuit breaker. */
public enum BreakerState {
  /** All calls pass, or there is no breaker. */
  CLOSED,
  /** One call probes the upstream. */
  HALF_OPEN,
  /** No call passes. */
  OPEN
}
