package io.weir.client.retry;

import java.io.IOException;
import java.time.Duration;

/**
 * A call was given up because it would have to wait too long. Nothing has been done: a later call may
 * succeed.
 */
public final class RetryLaterException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why there was no use in waiting. */
  public enum Reason {
    /** The wait is longer than {@link RetryOptions#maxWait()}. */
    WAIT_TOO_LONG,
    /** The wait ends after the call's deadline. */
    PAST_DEADLINE,
    /** The circuit breaker of the upstream is open; the call was not sent. */
    BREAKER_OPEN,
    /** The upstream rejects too much already; the call was not sent. */
    UPSTREAM_OVERLOADED
  }

  private final Reason reason;
  private final Duration retryAfter;

  RetryLaterException(String message, Reason reason, Duration retryAfter) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /** Why there was no use in waiting. */
  public Reason reason() {
    return reason;
  }

  /** When there would be, counted from when this was thrown; zero where nobody knows. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
