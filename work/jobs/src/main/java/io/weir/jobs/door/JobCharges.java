package io.weir.jobs.door;

import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.weir.core.policy.SettleRule;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobParameter;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobSubmission;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.loop.LoopTime;
import io.weir.state.hold.HoldWish;
import io.weir.state.hold.Holds;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.RetriedCalls;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Hands the charges of requests over to the jobs that they become: the record of a job has the charge that its end
 * settles. Owned by one event loop.
 */
final class JobCharges {
  // A settlement is carried out much sooner after the end of its job.
  private static final long MARGIN_MICROS = 3_600_000_000L;

  private final RedisJobs store;
  private final Holds holds;
  private final RetriedCalls calls;

  JobCharges(Vertx vertx, RedisJobs store, Holds holds) {
    this.store = store;
    this.holds = holds;
    this.calls = new RetriedCalls(LeaseTerms.JOB, new LoopTime(vertx), error -> true);
  }

  /** The hold of a request: its reservation lasts longer than any job, without renewals. */
  static HoldWish wish(IdentifiedRequest asked, JobRule rule) {
    long micros = rule.micros(JobParameter.TIMEOUT) + MARGIN_MICROS;
    Optional<SettleRule> settle = asked.settle().map(known -> known.waiting(micros));
    return HoldWish.of(asked.subject(), settle);
  }

  /** Leaves a charge to the job that has it, or gives it back. */
  void submitted(
      JobSubmission submission,
      SubmittedJob.Placed place,
      Held held,
      AsyncResult<SubmittedJob> answer) {
    if (answer.succeeded()) {
      end(held, job(answer.result()));
    } else {
      withdraw(submission, place, held);
    }
  }

  private static Optional<Job> job(SubmittedJob submitted) {
    if (submitted instanceof SubmittedJob.Taken taken) {
      return Optional.of(taken.job());
    }
    return submitted instanceof SubmittedJob.Known known
        ? Optional.of(known.job())
        : Optional.empty();
  }

  private void end(Held held, Optional<Job> job) {
    boolean isOfJob = job.flatMap(it -> it.counted().charge())
        .filter(charge -> charge.hold().equals(held.id()))
        .isPresent();
    if (isOfJob) {
      leave(held);
    } else {
      CompletionStage<Ended> unused = holds.end(held, new Ending.Cancelled());
    }
  }

  // The job may be stored although the answer was lost, or may be yet: without its place it is not.
  // If that cannot be
  // found out, the reservation expires.
  private void withdraw(JobSubmission submission, SubmittedJob.Placed place, Held held) {
    CompletionStage<Void> unused = calls
        .call(() -> store.release(submission, place))
        .thenCompose(freed -> calls.call(
            () -> store.see(submission.name().operation(), submission.name().id(), "")))
        .handle((seen, error) -> {
          if (error == null) {
            end(held, seen);
          } else {
            leave(held);
          }
          return null;
        });
  }

  // Permits last until the job is stored only.
  private void leave(Held held) {
    if (held.permits().isEmpty()) {
      holds.leave(held);
    } else {
      CompletionStage<Ended> unused = holds.end(held, new Ending.Released());
    }
  }
}
