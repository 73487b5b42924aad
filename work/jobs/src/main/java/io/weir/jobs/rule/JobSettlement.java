package io.weir.jobs.rule;

import io.weir.core.throttle.Ending;

/**
 * What becomes of the charge of a job that has ended; to be carried out once or more often, as only the first end of a
 * reservation counts.
 *
 * @param hold the id of its reservation
 * @param tenant the tenant of the charge
 * @param subject the API key of the charge
 */
public record JobSettlement(String hold, String tenant, String subject, Ending ending) {}
