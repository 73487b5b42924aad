package io.weir.jobs.rule;

import java.util.List;

/**
 * The answer to a claim: the jobs for the node and the state of the queue.
 *
 * @param overdue the jobs whose node or time ran out
 * @param nextMicros the time until there may be more to send; negative if no job waits
 * @param settlements charges of jobs that have ended, for the node to carry out
 */
public record ClaimedJobs(
    JobQueue queue,
    Overdue overdue,
    long nextMicros,
    List<JobSettlement> settlements,
    List<JobWork> work) {

  /**
   * Numbers of jobs whose node or time ran out.
   *
   * @param givenBack how many jobs of dead nodes went back to a queue
   * @param failed how many of those have failed because they were sent too often
   */
  public record Overdue(long givenBack, long timedOut, long failed) {}
}
