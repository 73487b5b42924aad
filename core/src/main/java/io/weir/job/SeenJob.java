package io.weir.job;

/**
 * A job, and what came of it.
 *
 * @param result empty where it has not ended, or ended without one
 */
public record SeenJob(Job job, String result) {}
