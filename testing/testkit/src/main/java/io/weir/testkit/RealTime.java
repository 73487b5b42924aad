package io.weir.testkit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Real time, for processes whose clock a test cannot move: the pace of callers, the length of a fault, a time to live.
 * A test that waits for something to happen uses Awaitility instead.
 */
public final class RealTime {
  private RealTime() {}

  /** Lets time pass, at least so much; returns at once if there is none. */
  public static void pass(Duration time) {
    new CompletableFuture<Void>()
        .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS)
        .join();
  }
}
