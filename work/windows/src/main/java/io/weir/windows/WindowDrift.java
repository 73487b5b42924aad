package io.weir.windows;

import io.weir.state.audit.DriftCheck;
import io.weir.state.wire.LuaLibrary;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the sets of windows, and their counts of failed ranges, with the ranges. */
final class WindowDrift {
  /** The check of all windows of a policy. */
  static final DriftCheck CHECK = new DriftCheck(
      "window",
      LuaLibrary.of("window_drift", List.of("window_drift")).script("window_drift"),
      WindowKeys::of,
      policy -> Windows.of(policy).keySet().stream()
          .collect(Collectors.toMap(Function.identity(), name -> List.of())));

  private WindowDrift() {}
}
