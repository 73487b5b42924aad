package io.weir.state.lease;

import io.weir.core.lease.Lease;

/** The result of taking units of a leased bucket. */
sealed interface TakeResult {
  /**
   * The units are taken, and have to be settled.
   *
   * @param used the units of the bucket that are used then
   */
  record Took(Lease.Taken taken, long used) implements TakeResult {}

  /** No units are left. */
  record Nothing(long waitMicros, long used) implements TakeResult {}

  /** A newer policy is in force. */
  record Outdated(long revision) implements TakeResult {}
}
