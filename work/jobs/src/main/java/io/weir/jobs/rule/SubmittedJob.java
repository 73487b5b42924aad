package io.weir.jobs.rule;

/** The result of a submission. */
public sealed interface SubmittedJob {
  /** The job is in the queue. */
  record Taken(Job job) implements SubmittedJob {}

  /**
   * A place in the queue is kept for the job while its limits are checked.
   *
   * @param token the token with which the place is taken or released
   */
  record Placed(String token) implements SubmittedJob {}

  /** A place is kept for another request of the same job; its result is known soon. */
  record Awaited() implements SubmittedJob {}

  /** The job existed already. */
  record Known(Job job) implements SubmittedJob {}

  /** The id was used for another request. */
  record Other() implements SubmittedJob {}

  /**
   * The queue, or the part of it that an owner may use, is full; it has a place for this job after {@code waitMicros}.
   */
  record Full(long waitMicros, JobOwner owner) implements SubmittedJob {}

  /** There is no memory left for its bytes. */
  record QueueFull(JobOwner owner) implements SubmittedJob {}
}
