package io.weir.jobs.work;

import io.weir.jobs.rule.Eta;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import io.weir.jobs.rule.MovedJob;

/** Counts state changes of jobs, and the error of their first eta. */
public final class JobEnds {
  private JobEnds() {}

  /** A job changed its state. */
  public static void moved(JobMeters meters, MovedJob moved, JobRule rule) {
    Job job = moved.job();
    meters.left(
        job.name().operation(), moved.before(), job.times().nowMicros() - moved.sinceMicros());
    if (job.progress().state() == JobState.COMPLETED) {
      completed(meters, moved, rule);
    } else if (job.progress().state().isEnd()) {
      meters.ended(job.name().operation(), job.progress().state(), 1);
    }
  }

  /** A job was completed: compares its first eta with the time that it took. */
  static void completed(JobMeters meters, MovedJob moved, JobRule rule) {
    Job job = moved.job();
    meters.ended(job.name().operation(), JobState.COMPLETED, 1);
    JobQueue then = new JobQueue(
        0,
        job.ahead().aheadAtFirst().dispatch(),
        0,
        0,
        job.ahead().queue().checkMicros(),
        job.ahead().queue().processingMicros());
    long eta =
        Eta.rawMillis(rule, then, JobState.QUEUED, job.ahead().aheadAtFirst().ahead(), 0);
    meters.done(job.name().operation(), job.elapsedMillis(), eta);
  }
}
