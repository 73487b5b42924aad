package io.weir.client.retry;

/** The state of an upstream at the time of reading. Safe for use by many threads. */
public interface UpstreamState {
  /** Scheme, host and port. */
  String name();

  /** The state of its breaker. */
  BreakerState breaker();

  /** The number of retries that its budget allows now; infinite if there is no budget. */
  double budget();
}
