package io.weir.whole.designs;

import io.weir.testkit.RealTime;
import io.weir.whole.designs.Limit.Span;
import java.time.Duration;

/** The times of a run: when what failed, as shares of its length. Changed by one thread, read by all. */
final class Phases {
  private final long lengthNanos;
  private final long began = System.nanoTime();
  private volatile boolean isOver;

  volatile Span dead = new Span(0, 0);
  /** From the copy on. */
  volatile Span older = new Span(0, 0);

  volatile Span away = new Span(0, 0);
  volatile long revoked = Long.MAX_VALUE;
  final Pulse pulse = new Pulse();

  Phases(Duration length) {
    this.lengthNanos = length.toNanos();
  }

  /** Waits until this percentage of the run, and returns the time. */
  long await(int percent) {
    RealTime.pass(Duration.ofNanos(began + lengthNanos * percent / 100 - System.nanoTime()));
    return System.nanoTime();
  }

  void end() {
    isOver = true;
  }

  boolean isOver() {
    return isOver;
  }
}
