package io.weir.jobs.store;

import io.weir.jobs.rule.ClaimedJobs;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSettlement;
import io.weir.jobs.rule.JobStore;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.rule.SeenJob;
import io.weir.jobs.rule.SubmittedJob;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Jobs in the memory of one process: the specification of every other store. It keeps queues for ever. Mutable; owned by
 * one thread.
 */
final class InMemoryJobs implements JobStore {

  private record Operation(ModelQueue queue, ModelClaims claims) {}

  private final LongSupplier clockMicros;
  private final Map<String, Operation> operations = new HashMap<>();

  InMemoryJobs(LongSupplier clockMicros) {
    this.clockMicros = clockMicros;
  }

  private Operation of(String operation) {
    return operations.computeIfAbsent(operation, name -> {
      ModelQueue queue = new ModelQueue();
      return new Operation(queue, new ModelClaims(queue));
    });
  }

  private ModelQueue queue(String operation) {
    return of(operation).queue;
  }

  private long live() {
    return clockMicros.getAsLong();
  }

  private static <T> CompletionStage<T> told(T answer) {
    return CompletableFuture.completedFuture(answer);
  }

  @Override
  public CompletionStage<SubmittedJob> keepPlace(JobRule rule, JobSubmission submission) {
    return told(queue(submission.name().operation()).submit(rule, submission, false, "", live()));
  }

  @Override
  public CompletionStage<Void> release(JobSubmission submission, SubmittedJob.Placed place) {
    queue(submission.name().operation()).release(submission.name().id(), place.token());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<SubmittedJob> submit(JobRule rule, JobSubmission submission) {
    return told(queue(submission.name().operation()).submit(rule, submission, true, "", live()));
  }

  @Override
  public CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission submission, SubmittedJob.Placed place) {
    return told(
        queue(submission.name().operation()).submit(rule, submission, true, place.token(), live()));
  }

  @Override
  public CompletionStage<Optional<SeenJob>> look(String operation, String id, String asking) {
    return told(seen(operation, id, asking, true));
  }

  @Override
  public CompletionStage<Optional<Job>> see(String operation, String id, String asking) {
    return told(seen(operation, id, asking, false).map(SeenJob::job));
  }

  @Override
  public CompletionStage<List<Optional<SeenJob>>> look(String operation, Collection<String> ids) {
    return told(ids.stream().map(id -> seen(operation, id, "", false)).toList());
  }

  private Optional<SeenJob> seen(String operation, String id, String asking, boolean withResult) {
    ModelQueue queue = queue(operation);
    long now = queue.times.now(live());
    return Optional.ofNullable(queue.jobs.get(id)).map(job -> {
      long polls = polls(job, asking);
      return new SeenJob(queue.shown(job, polls, now), withResult ? job.result : "");
    });
  }

  // Polls are not counted any more once the caller has received the end.
  private static long polls(ModelJob job, String asking) {
    if (!job.owner().equals(asking) || job.polls < 0) {
      return job.polls;
    }
    long told = job.polls + 1;
    job.polls = job.state.isEnd() ? -1 : told;
    return told;
  }

  @Override
  public CompletionStage<ClaimedJobs> claim(
      String operation, JobRule rule, String claim, Collection<String> unheard, Wanted wanted) {
    ModelClaims.Asked asked = new ModelClaims.Asked(
        claim, unheard, wanted.horizonMicros(), wanted.leadMicros(), wanted.most());
    return told(of(operation).claims.claim(rule, asked, live()));
  }

  @Override
  public CompletionStage<Optional<MovedJob>> move(
      String operation, JobRule rule, String id, String by, long run, JobMove move) {
    return told(queue(operation).move(rule, id, by, run, move, live()));
  }

  @Override
  public CompletionStage<Void> settled(String operation, List<JobSettlement> done) {
    queue(operation).settlements.remove(done);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<List<Boolean>> renew(
      String operation, JobRule rule, String node, List<String> ids) {
    ModelQueue queue = queue(operation);
    long now = queue.times.see(live());
    return told(ids.stream()
        .map(id -> Optional.ofNullable(queue.jobs.get(id))
            .filter(job -> job.holder.startsWith(node + ":") && job.hasLease())
            .map(job -> job.renew(rule, now))
            .isPresent())
        .toList());
  }
}
