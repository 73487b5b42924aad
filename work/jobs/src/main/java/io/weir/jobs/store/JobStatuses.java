package io.weir.jobs.store;

/** The statuses of the scripts of jobs, as of {@link io.weir.state.wire.Statuses}. */
final class JobStatuses {
  private JobStatuses() {}

  /** The statuses of {@code job_step.lua}. */
  enum JobStep {
    MOVED,
    REFUSED,
    NO_JOB
  }

  /** The statuses of {@code job_submit.lua}. */
  enum JobSubmit {
    TAKEN,
    KNOWN,
    OTHER,
    FULL,
    NO_ROOM,
    PLACED,
    AWAITED
  }
}
