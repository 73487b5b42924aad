package io.weir.jobs.door;

import io.vertx.core.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs tasks of the same job one after another, in the order in which they were added. Mutable; owned by one event
 * loop.
 */
final class OneByOne {
  /** The last task of each job that has tasks. */
  private final Map<String, Future<?>> last = new HashMap<>();

  /** Runs a task once all earlier tasks of the same job have ended, however they ended. */
  <T> Future<T> run(String job, Supplier<Future<T>> task) {
    Future<?> before = last.get(job);
    Future<T> mine = before == null ? task.get() : before.transform(ended -> task.get());
    last.put(job, mine);
    mine.onComplete(ended -> last.remove(job, mine));
    return mine;
  }
}
