package io.weir.job;

/** What became of a submission. */
public sealed interface SubmittedJob {
  /** It is in the queue. */
  record Taken(Job job) implements SubmittedJob {}

  /**
   * A place in the queue is kept for it while its limits are asked.
   *
   * @param token by which it is taken or released
   */
  record Placed(String token) implements SubmittedJob {}

  /** A place is kept for another request of the same job: it will be known in a moment. */
  record Awaited() implements SubmittedJob {}

  /** It was there before. */
  record Known(Job job) implements SubmittedJob {}

  /** Something else was asked by its id. */
  record Other() implements SubmittedJob {}

  /** The queue, or the part of it that an owner may have, is full; in so long there is a place for this one. */
  record Full(long waitMicros, JobOwner owner) implements SubmittedJob {}

  /** There is no room for its bytes. */
  record NoRoom(JobOwner owner) implements SubmittedJob {}
}
