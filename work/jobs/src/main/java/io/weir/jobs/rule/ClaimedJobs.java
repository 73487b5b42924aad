package io.weir.jobs.rule;

import java.util.List;

/**
 * The answer to a claim: the jobs for the node and the state of the queue.
 *
 * @param givenBack how many jobs of dead nodes went back to a queue
 * @param failed how many of those have failed because they were sent too often
 * @param nextMicros the time until there may be more to send; negative if no job waits
 * @param settlements charges of jobs that have ended, for the node to carry out
 */
public record ClaimedJobs(
    JobQueue queue,
    long givenBack,
    long timedOut,
    long failed,
    long nextMicros,
    List<JobSettlement> settlements,
    List<JobWork> work) {}
