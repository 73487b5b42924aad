package io.weir.client.retry;

/** Of a circuit breaker. */
public enum BreakerState {
  /** All calls go through, or there is no breaker. */
  CLOSED,
  /** One call tries. */
  HALF_OPEN,
  /** None goes through. */
  OPEN
}
