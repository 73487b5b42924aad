package io.weir.node.auth;

import java.util.function.LongSupplier;

/**
 * Bounds how often a node asks Redis about cookies that it has not met: 50 a second, and 200 at once. Whoever has no
 * session can make up cookies, but no others than these wait for it. Mutable; safe for use by many threads.
 */
final class LookBudget {
  private static final int PER_SECOND = 50;
  private static final int BURST = 200;
  private static final double NANOS_PER_SECOND = 1e9;

  private final LongSupplier nanos;
  private double left = BURST;
  private long atNanos;

  /** @param nanos a clock that is never moved back */
  LookBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.atNanos = nanos.getAsLong();
  }

  /** Takes one; false if none is left. */
  synchronized boolean tryTake() {
    long now = nanos.getAsLong();
    left = Math.min(BURST, left + (now - atNanos) * PER_SECOND / NANOS_PER_SECOND);
    atNanos = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }

  /** Gives one back: the cookie was one of a session. */
  synchronized void giveBack() {
    left = Math.min(BURST, left + 1);
  }
}
