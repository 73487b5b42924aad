package io.weir.core.slot;

/** The meaning of the retry time in a denial. */
public enum SlotMode {
  /** Makes a place if possible; otherwise each caller gets its own estimate. */
  RESERVE,
  /** Gives estimates that are spaced, so that no two callers get the same time. */
  ESTIMATE,
  /** Every caller gets the time at which the next request fits. */
  OFF
}
