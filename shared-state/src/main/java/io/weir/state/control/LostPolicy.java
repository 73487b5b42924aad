package io.weir.state.control;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that a policy is lost which has decided: states know of its revision, and no node has put it back for a while.
 * Safe for use by many threads.
 */
final class LostPolicy {
  // Every node that knows it puts it back within a second.
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

  /** A state has been decided by this revision. */
  synchronized void seen(long revision) {
    seen = Math.max(seen, revision);
  }

  /** The revision that has to be published, where the newest one that anybody knows is too old for too long. */
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
