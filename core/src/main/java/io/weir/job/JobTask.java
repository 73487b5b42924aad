package io.weir.job;

/** What is to be done with a job. */
public enum JobTask {
  /** To ask the upstream whether it is ready. */
  CHECK,
  /** To send it. */
  SEND,
  /** To ask for its result. */
  ASK
}
