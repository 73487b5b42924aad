package io.weir.state.connection;

import java.util.concurrent.TimeUnit;

/**
 * The time in which calls failed and none was answered. A call that fails says little alone: a Redis that pauses keeps
 * its connections. Safe for use by many threads.
 */
final class Silence {
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private volatile boolean isBegun;
  private volatile long sinceNanos;

  /** Redis has answered. */
  void end() {
    if (isBegun) {
      isBegun = false;
    }
  }

  /** Takes note of a call that failed now; returns whether calls have failed for more than a second. */
  boolean isLong(long nowNanos) {
    if (!isBegun) {
      sinceNanos = nowNanos;
      isBegun = true;
    }
    return nowNanos - sinceNanos > LONG_NANOS;
  }
}
