package io.weir.library;

import io.weir.state.keep.LeaseTime;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The timers of a program: one thread for its waiting callers and its leases. Safe for use by many threads. */
final class Timers implements LeaseTime, AutoCloseable {
  private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
    Thread made = new Thread(task, "weir-timers");
    made.setDaemon(true);
    return made;
  });

  Timers() {
    thread.setRemoveOnCancelPolicy(true);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void after(long millis, Runnable task) {
    ScheduledFuture<?> unused = afterNanos(TimeUnit.MILLISECONDS.toNanos(millis), task);
  }

  /** The same; null if these timers are closed. */
  @Nullable
  ScheduledFuture<?> afterNanos(long nanos, Runnable task) {
    try {
      return thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return null;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
