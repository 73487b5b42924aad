package io.weir.client.retry;

/** How an upstream stands, as it is when it is read. Safe for use by many threads. */
public interface UpstreamState {
  /** Scheme, host and port. */
  String name();

  /** Of its breaker. */
  BreakerState breaker();

  /** How many retries its budget would pay for now; infinite where there is none. */
  double budget();
}
