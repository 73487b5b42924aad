package io.weir.node.loop;

import io.vertx.core.Vertx;
import io.weir.state.keep.LeaseTime;

/** The time of the machine, with timers that run on the caller's context. */
public final class LoopTime implements LeaseTime {
  private final Vertx vertx;

  /** @param vertx has the timers */
  public LoopTime(Vertx vertx) {
    this.vertx = vertx;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void after(long millis, Runnable task) {
    vertx.setTimer(millis, due -> task.run());
  }
}
