package io.weir.jobs.rule;

/**
 * A task for a node.
 *
 * @param delayMicros the time until it is due
 * @param request the submitted request
 */
public record JobWork(JobTask task, long delayMicros, Job job, String request) {}
