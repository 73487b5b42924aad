package io.weir.state.keep;

/** The time of leases: a clock that never goes back, and timers. */
public interface LeaseTime {
  /** The clock, in nanoseconds from an unknown instant. */
  long nanoTime();

  /** Runs a task once, after this time, on a thread that it must not block. */
  void after(long millis, Runnable task);
}
