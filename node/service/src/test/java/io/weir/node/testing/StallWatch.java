package io.weir.node.testing;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.threadchecker.BlockedThreadEvent;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Detects event loops that compute for too long: more than 400 ms of their own CPU time in one task, four times the
 * node's threshold for a warning, as machines differ. A loop that has lost its core to other processes does not count.
 * Safe for use by many threads.
 */
final class StallWatch {
  private static final long MAX_CPU_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final long SAME_TASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Map<Long, Look> first = new ConcurrentHashMap<>();
  private final List<String> stalls = new CopyOnWriteArrayList<>();

  /** The first look at a task that takes long. */
  private record Look(long begunNanos, long cpuNanos) {}

  private StallWatch() {}

  static StallWatch of(Vertx vertx) {
    StallWatch watch = new StallWatch();
    ((VertxInternal) vertx).blockedThreadChecker().setThreadBlockedHandler(watch::look);
    return watch;
  }

  /** The places where loops computed for too long. */
  List<String> stalls() {
    return List.copyOf(stalls);
  }

  private void look(BlockedThreadEvent event) {
    long id = event.thread().getId();
    long cpu = threads.getThreadCpuTime(id);
    long begun = System.nanoTime() - event.duration();
    // The same task as before, as far as two samples can tell.
    Look now = new Look(begun, cpu);
    Look before = first.put(id, now);
    if (before == null || Math.abs(before.begunNanos() - begun) > SAME_TASK_NANOS) {
      return;
    }
    first.put(id, before);
    if (cpu - before.cpuNanos() >= MAX_CPU_NANOS) {
      stalls.add("%s computed for %d ms more: %s"
          .formatted(
              event.thread().getName(),
              (cpu - before.cpuNanos()) / 1_000_000,
              List.of(event.thread().getStackTrace())));
    }
  }
}
