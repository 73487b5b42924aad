package io.weir.state.lease;

import io.weir.core.lease.LeaseReport;
import io.weir.state.lease.RedisLeases.Answer;
import org.jspecify.annotations.Nullable;

/** A report that was sent, and its answer or the error instead of it. */
record Exchanged(
    Sent sent, @Nullable Answer answer, @Nullable Throwable error) {
  /** A report, with the revision of the policy that it was made for, and when. */
  record Sent(LeaseReport report, long revision, long atNanos) {}
}
