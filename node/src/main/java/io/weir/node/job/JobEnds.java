package io.weir.node.job;

import io.weir.core.job.Eta;
import io.weir.core.job.Job;
import io.weir.core.job.JobQueue;
import io.weir.core.job.JobRule;
import io.weir.core.job.JobState;
import io.weir.core.job.MovedJob;
import io.weir.node.metrics.JobMeters;

/** Counts state changes of jobs, and the error of their first eta. */
final class JobEnds {
  private JobEnds() {}

  /** A job changed its state. */
  static void moved(JobMeters meters, MovedJob moved, JobRule rule) {
    Job job = moved.job();
    meters.left(job.operation(), moved.before(), job.nowMicros() - moved.sinceMicros());
    if (job.state() == JobState.COMPLETED) {
      completed(meters, moved, rule);
    } else if (job.state().isEnd()) {
      meters.ended(job.operation(), job.state(), 1);
    }
  }

  /** A job was completed: compares its first eta with the time that it took. */
  static void completed(JobMeters meters, MovedJob moved, JobRule rule) {
    Job job = moved.job();
    meters.ended(job.operation(), JobState.COMPLETED, 1);
    JobQueue then = new JobQueue(
        0,
        job.aheadAtFirst().dispatch(),
        0,
        0,
        job.queue().checkMicros(),
        job.queue().processingMicros());
    long eta = Eta.rawMillis(rule, then, JobState.QUEUED, job.aheadAtFirst().ahead(), 0);
    meters.done(job.operation(), job.elapsedMillis(), eta);
  }
}
