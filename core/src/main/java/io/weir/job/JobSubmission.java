package io.weir.job;

/**
 * A request that is to be done as a job.
 *
 * @param id 32 hexadecimal digits
 * @param fingerprint of all that is asked, without spaces
 * @param request what is handed to whoever does it
 */
public record JobSubmission(
    String operation,
    String id,
    String tenant,
    String subject,
    String fingerprint,
    String request) {}
