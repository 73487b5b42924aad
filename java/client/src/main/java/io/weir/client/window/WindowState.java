package io.weir.client.window;

import java.util.List;

/**
 * The state of a window.
 *
 * @param width the most ranges that may be open
 * @param failed the first ranges that wait for a decision of the planner, up to 100
 */
public record WindowState(long width, WindowCounts counts, List<WindowRange> failed) {
  public WindowState {
    failed = List.copyOf(failed);
  }
}
