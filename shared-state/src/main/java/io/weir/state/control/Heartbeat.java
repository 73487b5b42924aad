package io.weir.state.control;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Says once a second that this node is alive, on a thread of its own: the others take a node for dead that is silent, and no
 * policy may keep it from speaking, however long it takes to read. Owned by a {@link ClusterPolicy}.
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
