package io.weir.jobs.rule;

import java.util.Optional;

/**
 * A request to be executed as a job.
 *
 * @param id 32 hexadecimal digits
 * @param fingerprint of the whole request, without spaces
 * @param request the content for the node that executes it
 * @param charge the id of the reservation that the end of the job settles, if any
 */
public record JobSubmission(
    String operation,
    String id,
    String tenant,
    String subject,
    String fingerprint,
    String request,
    Optional<String> charge) {

  /** A request whose charge is final. */
  public JobSubmission(
      String operation,
      String id,
      String tenant,
      String subject,
      String fingerprint,
      String request) {
    this(operation, id, tenant, subject, fingerprint, request, Optional.empty());
  }

  /** A copy whose charge is settled by the end of the job. */
  public JobSubmission charged(Optional<String> hold) {
    return new JobSubmission(operation, id, tenant, subject, fingerprint, request, hold);
  }
}
