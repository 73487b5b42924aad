package io.weir.jobs.rule;

import io.weir.core.throttle.Ending;

/**
 * The settlement of the charge of a job that has ended. It may be carried out more than once: only the first end of a
 * reservation counts.
 *
 * @param hold the id of its reservation
 * @param tenant the tenant of the charge
 * @param subject the API key of the charge
 */
public record JobSettlement(String hold, String tenant, String subject, Ending ending) {}
