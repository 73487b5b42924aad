package io.weir.jobs.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.store.RedisJobs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Polls the jobs that callers wait for, all of an operation in one call, and notifies each watcher of changes. Mutable;
 * owned by one event loop.
 */
final class JobWatch {
  private static final long EVERY_MILLIS = 500;
  private static final int LOOKED_AT_ONCE = 200;

  private final RedisJobs store;
  private final Context context;
  /** By operation, then by id. */
  private final Map<String, Map<String, List<Watcher>>> watched = new HashMap<>();

  JobWatch(Vertx vertx, RedisJobs store) {
    this.store = store;
    this.context = vertx.getOrCreateContext();
    vertx.setPeriodic(EVERY_MILLIS, fired -> lookAtAll());
  }

  /** A caller that waits; gets the job at each change, or empty if the job is gone. */
  static final class Watcher {
    private final Consumer<Optional<SeenJob>> listener;
    private Job last;

    private Watcher(Job last, Consumer<Optional<SeenJob>> listener) {
      this.last = last;
      this.listener = listener;
    }

    private void publish(Optional<SeenJob> seen) {
      if (seen.isEmpty() || hasChanged(seen.get().job())) {
        seen.ifPresent(known -> last = known.job());
        listener.accept(seen);
      }
    }

    private boolean hasChanged(Job job) {
      return job.progress().state() != last.progress().state()
          || !job.ahead().position().equals(last.ahead().position());
    }
  }

  /** Starts to watch a job. */
  Watcher watch(Job job, Consumer<Optional<SeenJob>> listener) {
    Watcher watcher = new Watcher(job, listener);
    watched
        .computeIfAbsent(job.name().operation(), operation -> new LinkedHashMap<>())
        .computeIfAbsent(job.name().id(), id -> new ArrayList<>(1))
        .add(watcher);
    return watcher;
  }

  /** Removes a watcher. */
  void leave(Watcher watcher) {
    Map<String, List<Watcher>> jobs =
        watched.getOrDefault(watcher.last.name().operation(), Map.of());
    List<Watcher> those = jobs.get(watcher.last.name().id());
    if (those != null) {
      those.remove(watcher);
      if (those.isEmpty()) {
        jobs.remove(watcher.last.name().id());
      }
    }
  }

  private void lookAtAll() {
    watched.values().removeIf(Map::isEmpty);
    watched.forEach((operation, jobs) -> {
      List<String> ids = List.copyOf(jobs.keySet());
      for (int from = 0; from < ids.size(); from += LOOKED_AT_ONCE) {
        look(operation, ids.subList(from, Math.min(ids.size(), from + LOOKED_AT_ONCE)));
      }
    });
  }

  // During an outage the watchers keep waiting.
  private void look(String operation, List<String> ids) {
    Future<?> unused = Future.fromCompletionStage(store.look(operation, ids), context)
        .onSuccess(seen -> {
          for (int i = 0; i < ids.size(); i++) {
            publish(operation, ids.get(i), seen.get(i));
          }
        });
  }

  private void publish(String operation, String id, Optional<SeenJob> seen) {
    List<Watcher> those = watched.getOrDefault(operation, Map.of()).get(id);
    if (those != null) {
      List.copyOf(those).forEach(watcher -> watcher.publish(seen));
    }
  }
}
