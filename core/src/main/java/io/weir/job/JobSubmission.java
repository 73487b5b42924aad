package io.weir.job;

/**
 * What a caller wants done.
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
