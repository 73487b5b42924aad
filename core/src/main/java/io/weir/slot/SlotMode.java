package io.weir.slot;

/** What a denial says of the time to come back. */
public enum SlotMode {
  /** It makes a place, where it can; an estimate of its own for each caller where not. */
  RESERVE,
  /** It estimates, and spreads the callers: the k-th in excess is told the k-th time. */
  ESTIMATE,
  /** It tells everybody when the next request fits. */
  OFF
}
