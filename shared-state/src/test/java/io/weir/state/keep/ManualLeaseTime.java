package io.weir.state.keep;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/** A time that only a test moves; tasks run in order as it passes. Mutable; owned by the test. */
public final class ManualLeaseTime implements LeaseTime {
  private final Queue<Task> tasks = new PriorityQueue<>(Comparator.comparingLong(Task::atNanos));
  private long nanos = 1_363;

  private record Task(long atNanos, Runnable task) {}

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void after(long millis, Runnable task) {
    tasks.add(new Task(nanos + TimeUnit.MILLISECONDS.toNanos(millis), task));
  }

  /** Whether a task waits. */
  public boolean isAwaited() {
    return !tasks.isEmpty();
  }

  /** Lets time pass. */
  public void pass(long millis) {
    long until = nanos + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!tasks.isEmpty() && tasks.element().atNanos() <= until) {
      Task next = tasks.remove();
      nanos = next.atNanos();
      next.task().run();
    }
    nanos = until;
  }
}
