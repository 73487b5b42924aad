package io.weir.jobs.rule;

/**
 * A request to be executed as a job.
 *
 * @param id 32 hexadecimal digits
 * @param fingerprint of the whole request, without spaces
 * @param request the content for the node that executes it
 */
public record JobSubmission(
    String operation,
    String id,
    String tenant,
    String subject,
    String fingerprint,
    String request) {}
