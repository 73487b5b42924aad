package io.weir.state.policy;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detects the loss of a policy that has decided: states contain its revision, and no node has put it back for a while.
 * Safe for use by many threads.
 */
final class LostPolicy {
  // A node that has the policy puts it back within a second.
  private static final long PUT_BACK_WITHIN_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final LongSupplier nanoClock;
  private long seen;
  private long missingSinceNanos;
  private boolean isMissing;

  LostPolicy() {
    this(System::nanoTime);
  }

  LostPolicy(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Records that a state was decided by this revision. */
  synchronized void seen(long revision) {
    seen = Math.max(seen, revision);
  }

  /** The revision to publish if the newest known one has been older than a seen one for too long. */
  synchronized OptionalLong newerThan(long newestKnown) {
    if (newestKnown >= seen) {
      isMissing = false;
      return OptionalLong.empty();
    }
    long now = nanoClock.getAsLong();
    if (!isMissing) {
      isMissing = true;
      missingSinceNanos = now;
    }
    return now - missingSinceNanos > PUT_BACK_WITHIN_NANOS
        ? OptionalLong.of(seen + 1)
        : OptionalLong.empty();
  }
}
