package io.weir.jobs.store;

import static java.util.Objects.requireNonNull;

import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobPage;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.SeenJob;
import io.weir.state.connection.RedisConnections;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reads the jobs of an operation that are not done, a page at a time. Each page is read in three steps: a job that goes on
 * meanwhile may be left out, or be on two pages. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class JobPages {
  private final RedisConnections redis;
  private final RedisJobs jobs;

  JobPages(RedisConnections redis, RedisJobs jobs) {
    this.redis = redis;
    this.jobs = jobs;
  }

  /** A part of a stage: the ranks of its first and last job. */
  private record Slice(String stage, long first, long last) {}

  /**
   * A page: those that are running come first, then those that are checked, that wait to be sent, and that wait to be
   * checked.
   *
   * @param from how many jobs come before the page
   */
  public CompletionStage<JobPage> page(String operation, long from, int most) {
    return jobs.queue(operation)
        .thenCompose(queue -> read(operation, queue, slices(queue, from, most)));
  }

  /** The first job of each queue. */
  public CompletionStage<JobPage> heads(String operation) {
    List<Slice> heads = List.of(new Slice("dispatch", 0, 0), new Slice("waiting", 0, 0));
    return jobs.queue(operation)
        .thenCompose(queue -> queue.dispatch() + queue.waiting() == 0
            ? CompletableFuture.completedFuture(new JobPage(queue, List.of()))
            : read(operation, queue, heads));
  }

  private static List<Slice> slices(JobQueue queue, long from, int most) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    sizes.put("running", queue.running());
    sizes.put("checking", queue.checking());
    sizes.put("dispatch", queue.dispatch());
    sizes.put("waiting", queue.waiting());
    List<Slice> slices = new ArrayList<>();
    long before = 0;
    for (Map.Entry<String, Long> stage : sizes.entrySet()) {
      long first = Math.max(0, from - before);
      long last = Math.min(stage.getValue(), from + most - before) - 1;
      if (first <= last) {
        slices.add(new Slice(stage.getKey(), first, last));
      }
      before += stage.getValue();
    }
    return slices;
  }

  private CompletionStage<JobPage> read(String operation, JobQueue queue, List<Slice> slices) {
    Map<String, String> keys = JobKeys.stages(operation);
    List<CompletableFuture<List<String>>> ids = slices.stream()
        .map(slice -> redis.ask(commands ->
            commands.zrange(requireNonNull(keys.get(slice.stage())), slice.first(), slice.last())))
        .toList();
    return CompletableFuture.allOf(ids.toArray(CompletableFuture[]::new))
        .thenCompose(read -> seen(
            operation,
            ids.stream()
                .map(CompletableFuture::join)
                .flatMap(Collection::stream)
                .toList()))
        .thenApply(found -> new JobPage(queue, found));
  }

  private CompletionStage<List<Job>> seen(String operation, List<String> ids) {
    return ids.isEmpty()
        ? CompletableFuture.completedFuture(List.of())
        : jobs.look(operation, ids)
            .thenApply(
                all -> all.stream().flatMap(Optional::stream).map(SeenJob::job).toList());
  }
}
