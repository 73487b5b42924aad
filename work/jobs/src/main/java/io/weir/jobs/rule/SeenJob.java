package io.weir.jobs.rule;

/**
 * A job and its result.
 *
 * @param result empty if it has not ended, or ended without one
 */
public record SeenJob(Job job, String result) {}
