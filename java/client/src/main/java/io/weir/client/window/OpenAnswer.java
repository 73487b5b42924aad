package io.weir.client.window;

import java.time.Duration;
import java.util.function.Function;

/** The answer to a planner that opens a range. */
public sealed interface OpenAnswer {
  /**
   * The range is open, or committed already.
   *
   * @param isNew whether it was not open before
   */
  record Opened(boolean isNew, WindowCounts counts) implements OpenAnswer {}

  /**
   * As many ranges are open as the window is wide.
   *
   * @param retryAfter the average time from one range to the next
   */
  record Full(Duration retryAfter, WindowCounts counts) implements OpenAnswer {}

  /**
   * The window is full, and its first range has failed: skip or retry it.
   *
   * @param from the first number of that range
   */
  record Blocked(long from, WindowCounts counts) implements OpenAnswer {}

  /** The range does not begin where the one before it ended: {@link WindowCounts#next}. */
  record NotNext(WindowCounts counts) implements OpenAnswer {}

  /** The counts of the window after it. */
  WindowCounts counts();

  /** Returns the result of the function for this answer. */
  default <T> T fold(
      Function<Opened, T> opened,
      Function<Full, T> full,
      Function<Blocked, T> blocked,
      Function<NotNext, T> notNext) {
    if (this instanceof Opened one) {
      return opened.apply(one);
    }
    if (this instanceof Full one) {
      return full.apply(one);
    }
    return this instanceof Blocked one ? blocked.apply(one) : notNext.apply((NotNext) this);
  }
}
