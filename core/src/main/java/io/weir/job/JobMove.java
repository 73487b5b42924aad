package io.weir.job;

/**
 * Where a job is to come to.
 *
 * @param word the word of a state; or {@code again}, for the end of the queue that it came from, {@code unsent}, for the
 *     front of it, of one that was not sent: then the attempt does not count, or {@code let_go}, of one with a receipt:
 *     another node asks for its result
 * @param receipt the place that the upstream has named, without spaces; may be empty
 * @param result what came of it; may be empty
 */
public record JobMove(String word, String receipt, String result) {
  /** To the end of its queue. */
  public static JobMove again() {
    return new JobMove("again", "", "");
  }

  /** Another node goes on with it. */
  public static JobMove letGo() {
    return new JobMove("let_go", "", "");
  }

  /** To the front of its queue: the upstream knows nothing of it. */
  public static JobMove unsent() {
    return new JobMove("unsent", "", "");
  }

  /** The upstream took it, and has named a place. */
  public static JobMove received(String receipt) {
    return new JobMove(JobState.RECEIPT_RECEIVED.word(), receipt, "");
  }

  /** Whether it is to this state. */
  public boolean isTo(JobState state) {
    return word.equals(state.word());
  }

  /** To a state. */
  public static JobMove to(JobState state) {
    return new JobMove(state.word(), "", "");
  }

  /** To an end with a result. */
  public static JobMove to(JobState state, String result) {
    return new JobMove(state.word(), "", result);
  }
}
