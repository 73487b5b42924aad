package io.weir.state.redis;

/**
 * Estimates Redis's clock, and with it when a call has timed out here. Mutable; owned by one event loop.
 */
final class RedisClock {
  private static final long NANOS_PER_MICRO = 1000;

  private final long timeoutNanos;
  /** What Redis's clock is ahead of this process's nanoseconds, at most; 0 where that is not known. */
  private long aheadMicros;

  RedisClock(long timeoutNanos) {
    this.timeoutNanos = timeoutNanos;
  }

  /** When nobody waits for what is sent now, by Redis's clock; rather too late than too early. 0 for never. */
  long notAfter(long sentNanos) {
    return aheadMicros == 0 ? 0 : (sentNanos + timeoutNanos) / NANOS_PER_MICRO + aheadMicros;
  }

  /** Learns what Redis's clock said in an answer. */
  void learn(long clockMicros, long sentNanos) {
    aheadMicros = clockMicros - sentNanos / NANOS_PER_MICRO;
  }

  /** About what Redis's clock says now; 0 where nobody has asked it yet. */
  long micros() {
    return aheadMicros == 0 ? 0 : System.nanoTime() / NANOS_PER_MICRO + aheadMicros;
  }

  /** Whether somebody still waits for what was sent. */
  boolean isInTime(long sentNanos) {
    return System.nanoTime() - sentNanos < timeoutNanos;
  }
}
