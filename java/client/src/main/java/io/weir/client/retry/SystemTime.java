package io.weir.client.retry;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The system's clock. One thread waits; tasks run on other threads, which end when they are idle for a minute. So a
 * busy or closed common pool does not delay them. Safe for use by many threads.
 */
final class SystemTime implements Timekeeper {
  static final SystemTime INSTANCE = new SystemTime();

  private final Clock clock = Clock.systemUTC();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, threads("weir-client-timer"));
  private final ExecutorService tasks = Executors.newCachedThreadPool(threads("weir-client"));

  private SystemTime() {
    timer.setRemoveOnCancelPolicy(true);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public Runnable after(Duration wait, Runnable task) {
    ScheduledFuture<?> due =
        timer.schedule(() -> execute(task), wait.toNanos(), TimeUnit.NANOSECONDS);
    return () -> due.cancel(false);
  }

  // The machine may have no thread left: a late task is better than a lost one.
  private void execute(Runnable task) {
    try {
      tasks.execute(task);
    } catch (Throwable noThread) {
      task.run();
    }
  }

  private static ThreadFactory threads(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
