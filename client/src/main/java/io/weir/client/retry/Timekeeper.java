package io.weir.client.retry;

import java.time.Duration;
import java.time.Instant;

/** Time as retries need it. */
public interface Timekeeper {
  /** A clock that only goes on, in nanoseconds. */
  long nanoTime();

  /** The time of day; only dates that servers name are compared with it. */
  Instant now();

  /**
   * Runs a task once that long has passed, never earlier.
   *
   * @return what cancels it, and does nothing once it has run
   */
  Runnable after(Duration wait, Runnable task);

  /** The system's own; tasks run on threads of its own. */
  static Timekeeper system() {
    return SystemTime.INSTANCE;
  }
}
