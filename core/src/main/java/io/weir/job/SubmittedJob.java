package io.weir.job;

/** What became of a submission. */
public sealed interface SubmittedJob {
  /** It is in the queue. */
  record Taken(Job job) implements SubmittedJob {}

  /** It would be taken into the queue. */
  record WouldBeTaken() implements SubmittedJob {}

  /** It was there before. */
  record Known(Job job) implements SubmittedJob {}

  /** Something else was asked by its id. */
  record Other() implements SubmittedJob {}

  /** The queue, or the part of it that an owner may have, is full; in so long there is a place for this one. */
  record Full(long waitMicros, JobOwner owner) implements SubmittedJob {}

  /** There is no room for its bytes. */
  record NoRoom(JobOwner owner) implements SubmittedJob {}
}
