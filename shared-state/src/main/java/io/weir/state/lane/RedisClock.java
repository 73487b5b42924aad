package io.weir.state.lane;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

/** An estimate of Redis's clock, and of the instant at which a call times out here. Safe for use by many threads. */
public final class RedisClock {

  private final long timeoutNanos;
  /** How far Redis's clock is ahead of this process's nanoseconds, at most; 0 if unknown. */
  private volatile long aheadMicros;

  public RedisClock(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  /**
   * The instant, by Redis's clock, at which a call sent now has timed out; rather too late than too early. 0 for never.
   */
  public long notAfter(long sentNanos) {
    long ahead = aheadMicros;
    return ahead == 0 ? 0 : NANOSECONDS.toMicros(sentNanos + timeoutNanos) + ahead;
  }

  /** Learns Redis's time from an answer. */
  public void learn(long clockMicros, long sentNanos) {
    aheadMicros = clockMicros - NANOSECONDS.toMicros(sentNanos);
  }

  /** About the present time of Redis's clock; 0 before its first answer. */
  public long micros() {
    long ahead = aheadMicros;
    return ahead == 0 ? 0 : NANOSECONDS.toMicros(System.nanoTime()) + ahead;
  }

  /** Whether a call sent then has not timed out. */
  boolean isInTime(long sentNanos) {
    return System.nanoTime() - sentNanos < timeoutNanos;
  }
}
