package io.weir.jobs.rule;

/**
 * A requested change of a job's state.
 *
 * @param word the word of a state; or {@code again}, for the end of the queue that it came from; {@code unsent}, for
 *     the front of that queue, if it was not sent, so that the attempt does not count; or {@code let_go}, for a job
 *     with a receipt whose result another node asks for
 * @param receipt the place named by the upstream, without spaces; may be empty
 * @param result the result; may be empty
 */
public record JobMove(String word, String receipt, String result) {
  /** Moves it to the end of its queue. */
  public static JobMove again() {
    return new JobMove("again", "", "");
  }

  /** Hands it over to another node. */
  public static JobMove letGo() {
    return new JobMove("let_go", "", "");
  }

  /** Moves it to the front of its queue: it never reached the upstream. */
  public static JobMove unsent() {
    return new JobMove("unsent", "", "");
  }

  /** The upstream took it and named a place. */
  public static JobMove received(String receipt) {
    return new JobMove(JobState.RECEIPT_RECEIVED.word(), receipt, "");
  }

  /** Whether the target is this state. */
  public boolean isTo(JobState state) {
    return word.equals(state.word());
  }

  /** Moves it to a state. */
  public static JobMove to(JobState state) {
    return new JobMove(state.word(), "", "");
  }

  /** Moves it to a final state with a result. */
  public static JobMove to(JobState state, String result) {
    return new JobMove(state.word(), "", result);
  }
}
