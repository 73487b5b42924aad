package io.weir.jobs.rule;

/**
 * The charge of a job, until the job's end settles it.
 *
 * @param hold the id of its reservation
 * @param mayHaveRun whether the upstream may have executed the job in an attempt that is over
 */
public record JobCharge(String hold, boolean mayHaveRun) {}
