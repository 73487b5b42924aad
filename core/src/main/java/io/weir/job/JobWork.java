package io.weir.job;

/**
 * Something to do.
 *
 * @param delayMicros when, from now on
 * @param request what was submitted
 */
public record JobWork(JobTask task, long delayMicros, Job job, String request) {}
