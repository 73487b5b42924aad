package io.weir.batch;

/** The statuses of the scripts of items of batches, as of {@link io.weir.state.wire.Statuses}. */
final class ItemStatuses {
  private ItemStatuses() {}

  /** The statuses of {@code claim.lua}. */
  enum Claim {
    CLAIMED,
    DONE,
    BUSY,
    UNKNOWN,
    OTHER,
    FULL
  }

  /** The statuses of {@code keep_result.lua}. */
  enum KeepResult {
    KEPT,
    LOST
  }
}
