package io.weir.windows;

import io.weir.state.audit.DriftCheck;

/** Compares the sets of windows, and their counts of failed ranges, with the ranges. */
final class WindowDrift {
  /** The check of all windows of a policy. */
  static final DriftCheck CHECK = DriftCheck.ofNamed(
      "window", "window_drift", WindowKeys::of, policy -> Windows.of(policy).keySet());

  private WindowDrift() {}
}
