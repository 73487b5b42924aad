package io.weir.window;

import java.util.List;

/** What a planner or a worker hears, and how the window stands after it. */
public sealed interface WindowAnswer {
  /** How the window stands. */
  WindowView view();

  /** The range is open: now, or it was already. */
  record Opened(boolean isNew, WindowView view) implements WindowAnswer {}

  /** As many are open as may be; there may be room in so long. */
  record Full(long waitMicros, WindowView view) implements WindowAnswer {}

  /** As many are open as may be, and the first of them has failed: the planner has to decide. */
  record Blocked(long from, WindowView view) implements WindowAnswer {}

  /** Ranges follow one another, and this one does not. */
  record NotNext(WindowView view) implements WindowAnswer {}

  /** A range to be worked on, by this claim. */
  record Claimed(String claim, long from, long to, long attempt, WindowView view)
      implements WindowAnswer {}

  /** No range is to be worked on; one may be in so long. */
  record Nothing(long waitMicros, WindowView view) implements WindowAnswer {}

  /** It is done; the range is {@code state} now. */
  record Done(String state, WindowView view) implements WindowAnswer {}

  /** It cannot be done: the claim is over, or the range is {@code state}. */
  record Refused(String state, WindowView view) implements WindowAnswer {}

  /** There is no such range. */
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
   * @param note its result, or why it failed; may be empty
   */
  record Range(long from, long to, String state, long attempts, String note) {}
}
