package io.weir.state.policy;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends a heartbeat of this node once a second, on a thread of its own: silent nodes are considered dead, and reading a
 * policy, however long it takes, must not delay the heartbeat. Owned by a {@link ClusterPolicy}.
 */
final class Heartbeat implements AutoCloseable {
  static final long EVERY_MILLIS = 1000;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "weir-membership");
        made.setDaemon(true);
        return made;
      });

  void start(Membership membership) {
    ScheduledFuture<?> unused = thread.scheduleWithFixedDelay(
        membership::beat, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
