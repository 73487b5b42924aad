package io.weir.client.retry;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends calls that take too long. All calls have the same time limit, so one timer is enough, and a call that ends in
 * time uses none. Mutable; safe for use by many threads.
 */
final class Deadlines {
  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Timekeeper time;
  private final long grantedNanos;
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isArmed = new AtomicBoolean();

  Deadlines(Timekeeper time, Duration granted) {
    this.time = time;
    this.grantedNanos = granted.toNanos();
  }

  /** Runs an action after the time limit, unless the entry is marked as done before. */
  Entry add(Runnable expire) {
    Entry entry = new Entry(time.nanoTime() + grantedNanos, expire);
    entries.add(entry);
    arm();
    return entry;
  }

  private void arm() {
    if (isArmed.compareAndSet(false, true)) {
      tick();
    }
  }

  private void tick() {
    entries.removeIf(Entry::isDone);
    for (Entry first = entries.peek(); first != null; first = entries.peek()) {
      long left = first.atNanos - time.nanoTime();
      if (left > 0) {
        time.after(Duration.ofNanos(Math.min(left, SWEEP_NANOS)), this::tick);
        return;
      }
      entries.poll();
      // On another thread: a listener may be slow.
      time.after(Duration.ZERO, first::expire);
    }
    isArmed.set(false);
    if (!entries.isEmpty()) {
      arm(); // a call was added during the check
    }
  }

  /** A call in progress. */
  static final class Entry {
    private final long atNanos;
    private volatile @Nullable Runnable expire;

    private Entry(long atNanos, Runnable expire) {
      this.atNanos = atNanos;
      this.expire = expire;
    }

    void done() {
      expire = null;
    }

    private boolean isDone() {
      return expire == null;
    }

    private void expire() {
      Runnable what = expire;
      if (what != null) {
        what.run();
      }
    }
  }
}
