package io.weir.jobs.rule;

/** The next task for a job. */
public enum JobTask {
  /** Asks the upstream whether it is ready. */
  CHECK,
  /** Sends the job. */
  SEND,
  /** Asks for its result. */
  ASK
}
