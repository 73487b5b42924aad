package io.weir.jobs.rule;

/**
 * The result of moving a job.
 *
 * @param isMoved whether it entered the requested state
 * @param before its state before
 * @param sinceMicros the time since which it was in that state
 */
public record MovedJob(boolean isMoved, Job job, JobState before, long sinceMicros) {}
