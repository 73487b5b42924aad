package io.weir.job;

import java.util.List;

/**
 * The answer to a claim: the work that the node was handed, and how the queue stands.
 *
 * @param givenBack how many jobs of dead nodes went back to a queue
 * @param failed how many of them were sent too often
 * @param nextMicros the time until there may be more to send; less than 0 where nothing waits
 */
public record ClaimedJobs(
    JobQueue queue,
    long givenBack,
    long timedOut,
    long failed,
    long nextMicros,
    List<JobWork> work) {}
