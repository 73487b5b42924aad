package io.weir.providers.queue;

import java.util.concurrent.TimeUnit;

/** A number that is shown for 30 s after it was set. Safe for use by many threads. */
final class LastSeen {
  private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);
  private volatile double last = Double.NaN;
  private volatile long receivedNanos;

  void set(int number) {
    receivedNanos = System.nanoTime();
    last = number;
  }

  double value() {
    return System.nanoTime() - receivedNanos < KNOWN_NANOS ? last : Double.NaN;
  }
}
