package io.weir.client.retry;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

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

  /** The system's own; tasks run on the common pool. */
  static Timekeeper system() {
    Clock clock = Clock.systemUTC();
    return new Timekeeper() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public Instant now() {
        return clock.instant();
      }

      @Override
      @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for the task
      public Runnable after(Duration wait, Runnable task) {
        CompletableFuture<Boolean> timer = new CompletableFuture<>();
        timer.thenRunAsync(task);
        timer.completeOnTimeout(true, wait.toNanos(), TimeUnit.NANOSECONDS);
        return () -> timer.cancel(false);
      }
    };
  }
}
