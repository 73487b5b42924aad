package io.weir.job;

import java.util.Optional;

/**
 * Where a job is to come to.
 *
 * @param to a state, or nothing for the front of the queue that it came from
 * @param receipt the place that the upstream has named, without spaces; may be empty
 * @param result what came of it; may be empty
 */
public record JobMove(Optional<JobState> to, String receipt, String result) {
  /** To the front of its queue. */
  public static JobMove back() {
    return new JobMove(Optional.empty(), "", "");
  }

  /** To a state. */
  public static JobMove to(JobState state) {
    return new JobMove(Optional.of(state), "", "");
  }

  /** To an end with a result. */
  public static JobMove to(JobState state, String result) {
    return new JobMove(Optional.of(state), "", result);
  }
}
