package io.weir.windows;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Windows of ordered ranges, for all nodes, planners and workers. Safe for use by many threads; never blocks. Every
 * returned stage completes: with an answer, or exceptionally with a
 * {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public interface WindowStore {
  /** How a claim ends, or continues. */
  enum End {
    FINISH,
    FAIL,
    /** The work was not begun. */
    RELEASE,
    RENEW
  }

  /** A decision of a planner. */
  enum Choice {
    SKIP,
    RETRY,
    COMMIT,
    FORGET
  }

  /** Opens the range from one number to another, both included. */
  CompletionStage<WindowAnswer> open(WindowRule rule, long from, long to);

  /**
   * Claims the first range with state todo.
   *
   * @param id of the claim, without blanks
   */
  CompletionStage<WindowAnswer> claim(WindowRule rule, String id);

  /**
   * Takes back claims whose answers were lost: they do not count as attempts.
   *
   * @return how many there were
   */
  CompletionStage<Long> takeBack(WindowRule rule, List<String> ids);

  /**
   * Ends a claim, or renews it. Repeating an end has no effect.
   *
   * @param note the result, or the reason of the failure; may be empty
   */
  CompletionStage<WindowAnswer> end(WindowRule rule, long from, String id, End how, String note);

  /** Decides on a range; for {@link Choice#COMMIT} the number is the last one to commit. */
  CompletionStage<WindowAnswer> decide(WindowRule rule, Choice choice, long number);

  /** The ranges that have failed, or else those that may be committed. Commits nothing. */
  CompletionStage<WindowAnswer.Listed> look(WindowRule rule, boolean isOfFailed, int most);
}
