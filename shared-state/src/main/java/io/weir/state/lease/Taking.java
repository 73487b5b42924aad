package io.weir.state.lease;

import io.weir.core.lease.Lease;

/** The result of taking units of a leased bucket. */
sealed interface Taking {
  /**
   * The units are taken, and have to be settled.
   *
   * @param used the units of the bucket that are used then
   */
  record Took(Lease.Taken taken, long used) implements Taking {}

  /** No units are left. */
  record Nothing(long waitMicros, long used) implements Taking {}

  /** A newer policy is in force. */
  record Outdated(long revision) implements Taking {}
}
