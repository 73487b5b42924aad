package io.weir.client.retry;

import java.time.Duration;
import java.time.Instant;

/** The clock and timer for retries. */
public interface Timekeeper {
  /** A monotonic clock, in nanoseconds. */
  long nanoTime();

  /** The time of day; compared only with dates sent by servers. */
  Instant now();

  /**
   * Runs a task after the wait, never earlier.
   *
   * @return cancels the task; does nothing once it has run
   */
  Runnable after(Duration wait, Runnable task);

  /** The system's clock; tasks run on its own threads. */
  static Timekeeper system() {
    return SystemTime.INSTANCE;
  }
}
