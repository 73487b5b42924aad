package io.weir.jobs.door;

import io.weir.jobs.rule.Eta;
import io.weir.jobs.rule.JobOwner;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.SubmittedJob;
import io.weir.node.answer.ProblemDetails;

/** The problems for requests that are not accepted as jobs. */
final class JobRefusals {
  private static final long MICROS_PER_MILLI = 1000;
  private static final ProblemDetails OTHER = ProblemDetails.of(
      422, "idempotency_key_reused", "Something else was asked with this Idempotency-Key");
  private static final ProblemDetails AWAITED = ProblemDetails.of(
      503, "job_awaited", "Another request of the same job has been asking its limits for long");
  private static final ProblemDetails FULL =
      ProblemDetails.of(429, "job_queue_full", "The queue of this operation is full");
  private static final ProblemDetails FULL_OF_KEY = ProblemDetails.of(
      429, "job_queue_of_key", "This API key has as many jobs that are not done as it may");
  private static final ProblemDetails FULL_OF_TENANT = ProblemDetails.of(
      429, "job_queue_of_tenant", "This tenant has as many jobs that are not done as it may");
  private static final ProblemDetails NO_ROOM_OF_KEY = ProblemDetails.of(
      429, "job_bytes_of_key", "The jobs of this API key take all of the memory they may");
  private static final ProblemDetails NO_ROOM_OF_TENANT = ProblemDetails.of(
      429, "job_bytes_of_tenant", "The jobs of this tenant take all of the memory they may");
  private static final ProblemDetails NO_ROOM = ProblemDetails.of(
      503, "job_bytes_in_all", "The jobs of this operation take all of the memory they may");

  private JobRefusals() {}

  /** The problem for a submission that is neither accepted nor known. */
  static ProblemDetails of(SubmittedJob submitted, JobRule rule) {
    if (submitted instanceof SubmittedJob.Full full) {
      long millis = (full.waitMicros() + MICROS_PER_MILLI - 1) / MICROS_PER_MILLI;
      return full(full.owner()).with("retryAfterMs", Eta.clampedMillis(rule, millis));
    }
    if (submitted instanceof SubmittedJob.QueueFull none) {
      return noRoom(none.owner());
    }
    return submitted instanceof SubmittedJob.Other ? OTHER : AWAITED;
  }

  private static ProblemDetails full(JobOwner owner) {
    return switch (owner) {
      case KEY -> FULL_OF_KEY;
      case TENANT -> FULL_OF_TENANT;
      case ALL -> FULL;
    };
  }

  private static ProblemDetails noRoom(JobOwner owner) {
    return switch (owner) {
      case KEY -> NO_ROOM_OF_KEY;
      case TENANT -> NO_ROOM_OF_TENANT;
      case ALL -> NO_ROOM;
    };
  }
}
