package io.weir.core.slot;

/** The meaning of the retry time in a denial. */
public enum SlotMode {
  /** Makes a place if possible; otherwise each caller gets its own estimate. */
  RESERVE,
  /** Gives estimates that are spaced, so that no two callers get the same time. */
  ESTIMATE,
  /** Every caller gets the time at which the next request fits. */
  OFF;

  /** The mode in which existing places count, but none is made. */
  public SlotMode withoutNewPlaces() {
    return this == RESERVE ? ESTIMATE : this;
  }
}
