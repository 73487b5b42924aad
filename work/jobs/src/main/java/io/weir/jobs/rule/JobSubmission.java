package io.weir.jobs.rule;

import java.util.Optional;

/**
 * A request to be executed as a job.
 *
 * @param request the content for the node that executes it
 * @param charge the id of the reservation that the end of the job settles, if any
 */
public record JobSubmission(JobName name, String request, Optional<String> charge) {

  /** A request whose charge is final. */
  public JobSubmission(JobName name, String request) {
    this(name, request, Optional.empty());
  }

  /** A copy whose charge is settled by the end of the job. */
  public JobSubmission charged(Optional<String> hold) {
    return new JobSubmission(name, request, hold);
  }
}
