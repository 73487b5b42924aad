package io.weir.node.lease;

import io.vertx.core.Vertx;

/** The time of leases: a clock that never goes back, and timers. */
public interface LeaseTime {
  /** The clock, in nanoseconds from an unknown instant. */
  long nanoTime();

  /** Runs a task once, after this time; with Vert.x on the caller's context. */
  void after(long millis, Runnable task);

  /** The time of the machine. */
  static LeaseTime of(Vertx vertx) {
    return new LeaseTime() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void after(long millis, Runnable task) {
        vertx.setTimer(millis, due -> task.run());
      }
    };
  }
}
