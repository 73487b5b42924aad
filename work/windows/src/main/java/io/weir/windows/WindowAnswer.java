package io.weir.windows;

import java.util.List;

/** The answer to a planner or a worker, with the state of the window after it. */
public sealed interface WindowAnswer {
  /** The state of the window. */
  WindowView view();

  /** The range is open: newly, or already before. */
  record Opened(boolean isNew, WindowView view) implements WindowAnswer {}

  /** The window is full; it may have room after {@code waitMicros}. */
  record Full(long waitMicros, WindowView view) implements WindowAnswer {}

  /** The window is full, and its first range has failed: the planner has to decide. */
  record Blocked(long from, WindowView view) implements WindowAnswer {}

  /** The range does not follow the previous one. */
  record NotNext(WindowView view) implements WindowAnswer {}

  /** A range for a worker, with its claim. */
  record Claimed(String claim, long from, long to, long attempt, WindowView view)
      implements WindowAnswer {}

  /** No range is available; one may be after {@code waitMicros}. */
  record Nothing(long waitMicros, WindowView view) implements WindowAnswer {}

  /** The request succeeded; {@code state} is the new state of the range. */
  record Done(String state, WindowView view) implements WindowAnswer {}

  /** The request is not possible: the claim has ended, or the range is in {@code state}. */
  record Refused(String state, WindowView view) implements WindowAnswer {}

  /** The range does not exist. */
  record Unknown(WindowView view) implements WindowAnswer {}

  /** Some ranges, in order. */
  record Listed(List<Range> ranges, WindowView view) implements WindowAnswer {
    public Listed {
      ranges = List.copyOf(ranges);
    }
  }

  /**
   * A range.
   *
   * @param note its result, or the reason of its failure; may be empty
   */
  record Range(long from, long to, String state, long attempts, String note) {}
}
