package io.weir.client.retry;

import java.io.IOException;
import java.time.Duration;

/** Thrown if a call would have to wait too long. Nothing has been done; a later call may succeed. */
public final class RetryLaterException extends IOException {
  private static final long serialVersionUID = 1;

  /** The reason for not waiting. */
  public enum Reason {
    /** The wait is longer than {@link RetryOptions#maxWait()}. */
    WAIT_TOO_LONG,
    /** The wait ends after the call's deadline. */
    PAST_DEADLINE,
    /** The circuit breaker of the upstream is open; the call was not sent. */
    BREAKER_OPEN,
    /** The upstream already rejects too much; the call was not sent. */
    UPSTREAM_OVERLOADED
  }

  private final Reason reason;
  private final Duration retryAfter;

  RetryLaterException(String message, Reason reason, Duration retryAfter) {
    super(message);
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /** The reason for not waiting. */
  public Reason reason() {
    return reason;
  }

  /** The time until a call may succeed, counted from this exception; zero if unknown. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
