package io.weir.jobs.rule;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The jobs of all nodes: a queue for each operation. Safe for use by many threads; never blocks. Every returned stage
 * completes: with an answer, or exceptionally with a {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public interface JobStore {
  /**
   * Reserves a place for a job, for one request at a time: its caller checks the limits, and then submits the job or
   * releases the place. Otherwise returns the existing job of the same request, or the reason why there is no place.
   */
  CompletionStage<SubmittedJob> keepPlace(JobRule rule, JobSubmission submission);

  /** Frees a place: a request whose charge its end would settle is not taken with it any more. */
  CompletionStage<Void> release(JobSubmission submission, SubmittedJob.Placed place);

  /** Takes a job into the queue; a repeated call has no effect. */
  CompletionStage<SubmittedJob> submit(JobRule rule, JobSubmission submission);

  /**
   * The same for a job with a reserved place. A request whose charge its end would settle is not taken if the place is
   * lost: whoever has freed it may have given the charge back.
   */
  CompletionStage<SubmittedJob> submit(
      JobRule rule, JobSubmission submission, SubmittedJob.Placed place);

  /**
   * The state of a job, and its result.
   *
   * @param asking the tenant and the key of the caller, with a slash between; calls of the job's owner are counted
   */
  CompletionStage<Optional<SeenJob>> look(String operation, String id, String asking);

  /** The same without the result. */
  CompletionStage<Optional<Job>> see(String operation, String id, String asking);

  /** The states of jobs, in this order, without their results; empty for unknown jobs. */
  CompletionStage<List<Optional<SeenJob>>> look(String operation, Collection<String> ids);

  /**
   * Takes work to do, and ends leases and jobs whose time is over.
   *
   * @param claim the node and the number of its claim: {@code node:number}
   * @param unanswered claims of the node whose answers were lost
   */
  CompletionStage<ClaimedJobs> claim(
      String operation, JobRule rule, String claim, Collection<String> unanswered, Wanted wanted);

  /**
   * The work that a node wants.
   *
   * @param horizonMicros how far ahead jobs are handed out
   * @param leadMicros the travel time of an answer: no job is handed out to be sent sooner
   * @param most the most jobs to hand out
   */
  record Wanted(long horizonMicros, long leadMicros, int most) {}

  /**
   * Moves a job, if the transition is allowed.
   *
   * @param by the claim by which it was handed out; empty for its caller or the upstream
   * @param run the run of the job, 0 for any
   * @return empty if there is no such job
   */
  CompletionStage<Optional<MovedJob>> move(
      String operation, JobRule rule, String id, String by, long run, JobMove move);

  /** Removes settlements that were carried out: until then they are handed out again. */
  CompletionStage<Void> settled(String operation, List<JobSettlement> done);

  /** Renews the leases of jobs; returns for each whether it is held. */
  CompletionStage<List<Boolean>> renew(
      String operation, JobRule rule, String node, List<String> ids);
}
