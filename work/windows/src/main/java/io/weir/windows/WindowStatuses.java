package io.weir.windows;

/** The statuses of the scripts of windows, as of {@link io.weir.state.wire.Statuses}. */
final class WindowStatuses {
  private WindowStatuses() {}

  /** The statuses of {@code window_claim.lua}. */
  enum WindowClaim {
    CLAIMED,
    NOTHING
  }

  /** The statuses of {@code window_decide.lua}. */
  enum WindowDecide {
    DONE,
    REFUSED,
    UNKNOWN
  }

  /** The statuses of {@code window_end.lua}. */
  enum WindowEnd {
    DONE,
    LOST,
    UNKNOWN
  }

  /** The statuses of {@code window_open.lua}. */
  enum WindowOpen {
    OPENED,
    OPEN_ALREADY,
    COMMITTED_ALREADY,
    FULL,
    FAILED,
    NOT_NEXT
  }
}
