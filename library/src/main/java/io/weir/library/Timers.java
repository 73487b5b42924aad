package io.weir.library;

import io.weir.state.keep.LeaseTime;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The timers of a program: one thread for its waiting callers and its leases. Safe for use by many threads. */
final class Timers implements LeaseTime, AutoCloseable {
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "weir-timers");
        made.setDaemon(true);
        return made;
      });

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void after(long millis, Runnable task) {
    afterNanos(TimeUnit.MILLISECONDS.toNanos(millis), task);
  }

  /** The same; false if these timers are closed. */
  boolean afterNanos(long nanos, Runnable task) {
    try {
      ScheduledFuture<?> unused = thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
