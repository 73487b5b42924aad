package io.weir.whole.designs;

import io.weir.testkit.RealTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** How late this machine wakes who waits: callers that return late lose their places. Changed by one thread, read by all. */
final class Pulse {
  private static final Duration BEAT = Duration.ofMillis(20);
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
  private static final int ONE_OF = 20;

  private final AtomicInteger beats = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();

  void beat(Phases phases) {
    while (!phases.isOver()) {
      long due = System.nanoTime() + BEAT.toNanos();
      RealTime.pass(BEAT);
      beats.incrementAndGet();
      if (System.nanoTime() - due > LATE_NANOS) {
        late.incrementAndGet();
      }
    }
  }

  /** Whether so many beats were late that attempts say nothing about Weir. */
  boolean isBusy() {
    return late.get() * ONE_OF > beats.get();
  }

  @Override
  public String toString() {
    return "%s of %s beats late".formatted(late, beats);
  }
}
