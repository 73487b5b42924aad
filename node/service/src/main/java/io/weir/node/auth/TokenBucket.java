package io.weir.node.auth;

import java.util.function.LongSupplier;

/** A bucket of tokens, full at first. Mutable; safe for use by many threads. */
public final class TokenBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  private final int perSecond;
  private final int burst;
  private final LongSupplier nanos;
  private double left;
  private long atNanos;

  /** @param nanos a clock that is never moved back */
  public TokenBucket(int perSecond, int burst, LongSupplier nanos) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.nanos = nanos;
    this.left = burst;
    this.atNanos = nanos.getAsLong();
  }

  /** Takes one; false if none is left. */
  public synchronized boolean tryTake() {
    long now = nanos.getAsLong();
    // Threads may read the clock in another order than they come here.
    double gained = Math.max(0, now - atNanos) / NANOS_PER_SECOND * perSecond;
    left = Math.min(burst, left + gained);
    atNanos = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }

  /** Gives one back. */
  public synchronized void giveBack() {
    left = Math.min(burst, left + 1);
  }
}
