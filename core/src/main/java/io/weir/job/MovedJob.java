package io.weir.job;

/**
 * How a job was moved.
 *
 * @param isMoved whether it came to the state that was asked for
 * @param before the state that it was in
 * @param sinceMicros since when
 */
public record MovedJob(boolean isMoved, Job job, JobState before, long sinceMicros) {}
