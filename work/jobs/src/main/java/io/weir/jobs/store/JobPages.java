package io.weir.jobs.store;

import static java.util.Objects.requireNonNull;

import io.lettuce.core.KeyValue;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobPage;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.SeenJob;
import io.weir.state.connection.RedisConnections;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Reads the jobs of an operation, a page at a time. Each page is read in steps: a job that goes on meanwhile may be left out, or be on two pages. Safe for use by many threads; failures are {@link
 * io.weir.core.throttle.StoreUnavailableException}.
 */
public final class JobPages {
  private static final int EXAMINED_AT_ONCE = 500;

  private final RedisConnections redis;
  private final RedisJobs jobs;

  JobPages(RedisConnections redis, RedisJobs jobs) {
    this.redis = redis;
    this.jobs = jobs;
  }

  /** A part of a stage: the ranks of its first and last job. */
  private record Slice(String stage, long first, long last) {}

  /** Some ids of jobs, and where the next ones begin. */
  private record Part(List<String> ids, OptionalLong next) {}

  /**
   * A page of those that are not done: those that are running come first, then those that are checked, that wait to be
   * sent, and that wait to be checked.
   *
   * @param from how many jobs come before the page
   */
  public CompletionStage<JobPage> page(String operation, long from, int most) {
    return jobs.queue(operation)
        .thenCompose(queue -> ids(operation, slices(queue, from, most))
            .thenCompose(ids -> seen(operation, ids))
            .thenApply(found -> new JobPage(queue, found, next(queue, from + most))));
  }

  private static OptionalLong next(JobQueue queue, long next) {
    long all = queue.running() + queue.checking() + queue.dispatch() + queue.waiting();
    return next < all ? OptionalLong.of(next) : OptionalLong.empty();
  }

  /**
   * A page of those in a state: of jobs that have ended, the last one comes first; others are in the order of {@link
   * #page}. A page may have fewer jobs than {@code most}, or none, and a next page all the same: only so many jobs are
   * examined for it.
   *
   * @param from how many jobs in any state were examined before the page
   */
  public CompletionStage<JobPage> inState(String operation, JobState state, long from, int most) {
    return jobs.queue(operation)
        .thenCompose(queue -> examined(operation, state, queue, from)
            .thenCompose(ids -> inState(operation, state, ids, from, most))
            .thenCompose(part -> seen(operation, part.ids())
                .thenApply(found -> new JobPage(
                    queue,
                    found.stream()
                        .filter(job -> job.progress().state() == state)
                        .toList(),
                    part.next()))));
  }

  private CompletionStage<List<String>> examined(
      String operation, JobState state, JobQueue queue, long from) {
    return state.isEnd()
        ? redis.ask(commands ->
            commands.zrevrange(JobKeys.ends(operation), from, from + EXAMINED_AT_ONCE - 1))
        : ids(operation, slices(queue, from, EXAMINED_AT_ONCE));
  }

  private CompletionStage<Part> inState(
      String operation, JobState state, List<String> ids, long from, int most) {
    return ids.isEmpty()
        ? CompletableFuture.completedFuture(new Part(List.of(), OptionalLong.empty()))
        : redis
            .ask(commands -> commands.hmget(JobKeys.states(operation), ids.toArray(String[]::new)))
            .thenApply(read -> inState(state, read, from, most));
  }

  private static Part inState(
      JobState state, List<KeyValue<String, String>> read, long from, int most) {
    List<String> ids = new ArrayList<>();
    int examined = 0;
    while (examined < read.size() && ids.size() < most) {
      KeyValue<String, String> job = read.get(examined++);
      if (job.getValueOrElse("").startsWith(state.word() + " ")) {
        ids.add(job.getKey());
      }
    }
    boolean isLast = examined == read.size() && examined < EXAMINED_AT_ONCE;
    return new Part(ids, isLast ? OptionalLong.empty() : OptionalLong.of(from + examined));
  }

  /** The first job of each queue. */
  public CompletionStage<JobPage> heads(String operation) {
    List<Slice> heads = List.of(new Slice("dispatch", 0, 0), new Slice("waiting", 0, 0));
    return jobs.queue(operation)
        .thenCompose(queue -> ids(
                operation, queue.dispatch() + queue.waiting() == 0 ? List.of() : heads)
            .thenCompose(ids -> seen(operation, ids))
            .thenApply(found -> new JobPage(queue, found, OptionalLong.empty())));
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

  private CompletionStage<List<String>> ids(String operation, List<Slice> slices) {
    Map<String, String> keys = JobKeys.stages(operation);
    List<CompletableFuture<List<String>>> ids = slices.stream()
        .map(slice -> redis.ask(commands ->
            commands.zrange(requireNonNull(keys.get(slice.stage())), slice.first(), slice.last())))
        .toList();
    return CompletableFuture.allOf(ids.toArray(CompletableFuture[]::new))
        .thenApply(read -> ids.stream()
            .map(CompletableFuture::join)
            .flatMap(Collection::stream)
            .toList());
  }

  private CompletionStage<List<Job>> seen(String operation, List<String> ids) {
    return ids.isEmpty()
        ? CompletableFuture.completedFuture(List.of())
        : jobs.look(operation, ids)
            .thenApply(
                all -> all.stream().flatMap(Optional::stream).map(SeenJob::job).toList());
  }
}
