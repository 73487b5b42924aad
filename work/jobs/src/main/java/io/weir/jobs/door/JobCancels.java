package io.weir.jobs.door;

import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobMove;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.MovedJob;
import io.weir.jobs.store.RedisJobs;
import io.weir.jobs.work.JobEnds;
import io.weir.jobs.work.JobMeters;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.concurrent.CompletionStage;

/** Cancels jobs. */
record JobCancels(RedisJobs store, JobMeters meters) {
  /** Cancels the run of a job; fails with {@link RefusedException} if it has ended. */
  CompletionStage<Job> cancel(Job job, JobRule rule) {
    return store
        .move(
            job.name().operation(),
            rule,
            job.name().id(),
            "",
            job.progress().run(),
            JobMove.to(JobState.CANCELLED))
        .thenApply(found -> {
          MovedJob moved = found.orElseThrow(() -> new RefusedException(JobAnswers.unknown()));
          if (!moved.isMoved()) {
            throw new RefusedException(
                ProblemDetails.of(409, "job_finished", "The job has ended and cannot be cancelled")
                    .with("state", moved.job().progress().state().word()));
          }
          JobEnds.moved(meters, moved, rule);
          return moved.job();
        });
  }
}
