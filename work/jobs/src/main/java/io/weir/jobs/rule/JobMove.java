package io.weir.jobs.rule;

import io.weir.core.throttle.Ending;
import java.util.Optional;

/**
 * A requested change of a job's state.
 *
 * @param word the word of a state; or {@code again}, for the end of the queue that it came from; {@code unsent}, for
 *     the front of that queue, if it was not sent, so that the attempt does not count; or {@code let_go}, for a job
 *     with a receipt whose result another node asks for
 * @param receipt the place named by the upstream, without spaces; may be empty
 * @param result the result; may be empty
 * @param ending what becomes of its charge if it ends; if empty, the charge is given back only if the upstream cannot
 *     have executed the job
 * @param mayHaveRun whether the upstream may have executed the job in this attempt
 */
public record JobMove(
    String word, String receipt, String result, Optional<Ending> ending, boolean mayHaveRun) {

  private JobMove(String word, String receipt, String result) {
    this(word, receipt, result, Optional.empty(), true);
  }

  /** Moves it to the end of its queue. */
  public static JobMove again() {
    return again("");
  }

  /** The same; if that was the last attempt, it ends with this result. */
  public static JobMove again(String result) {
    return new JobMove("again", "", result);
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

  /** A copy for a sender that knows how far the job came. */
  public JobMove with(Optional<Ending> known, boolean mayBeDone) {
    return new JobMove(word, receipt, result, known, mayBeDone);
  }
}
