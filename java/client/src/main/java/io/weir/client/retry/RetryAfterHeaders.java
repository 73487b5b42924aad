package io.weir.client.retry;

import io.weir.client.answer.NamedWait;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/** Reads the wait in an answer, in milliseconds, rounded up. Values that are invalid or in the past are ignored. */
public final class RetryAfterHeaders {
  /** The upper bound of waits; longer ones make no difference. */
  private static final long FOREVER_MILLIS = Duration.ofDays(100_000).toMillis();

  private RetryAfterHeaders() {}

  /**
   * Returns the wait of an answer.
   *
   * @param now the time of day, for a server that does not send its own
   */
  public static OptionalLong millis(int status, Headers headers, Instant now) {
    return NamedWait.millis(status, headers::all, now, FOREVER_MILLIS);
  }
}
