package io.weir.client.retry;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that only a test moves. Mutable; owned by the test. */
public final class ManualTime implements Timekeeper {
  private static final long START_NANOS = 7_000_000_000_123_457L;
  private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

  private record Task(long atNanos, Runnable what) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atNanos));
  private long nanos = START_NANOS;

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public Instant now() {
    return START.plusNanos(nanos - START_NANOS);
  }

  @Override
  public Runnable after(Duration wait, Runnable task) {
    Task scheduled = new Task(nanos + wait.toNanos(), task);
    tasks.add(scheduled);
    return () -> tasks.remove(scheduled);
  }

  /** Moves the clock; due tasks run at their times. */
  public void advance(Duration step) {
    long end = nanos + step.toNanos();
    while (!tasks.isEmpty() && tasks.peek().atNanos() <= end) {
      Task due = tasks.remove();
      nanos = Math.max(nanos, due.atNanos());
      due.what().run();
    }
    nanos = end;
  }

  /** The number of pending waits. */
  public int waits() {
    return tasks.size();
  }
}
