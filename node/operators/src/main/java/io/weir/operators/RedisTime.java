package io.weir.operators;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Redis's time, as far as this process knows it: for what people read, never for a decision. Safe for use by many threads. */
public final class RedisTime {
  private final LongSupplier nanos;
  private volatile long aheadMicros;

  RedisTime(LongSupplier nanos) {
    this.nanos = nanos;
    // The node's own clock counts until Redis's is known.
    learn(TimeUnit.MILLISECONDS.toMicros(Clock.systemUTC().millis()));
  }

  final void learn(long redisMicros) {
    aheadMicros = redisMicros - TimeUnit.NANOSECONDS.toMicros(nanos.getAsLong());
  }

  /** Redis's time. */
  Instant now() {
    return at(nanos.getAsLong());
  }

  /** Redis's time at an instant of this process's clock. */
  public Instant at(long processNanos) {
    return Instant.ofEpochMilli(
        TimeUnit.MICROSECONDS.toMillis(TimeUnit.NANOSECONDS.toMicros(processNanos) + aheadMicros));
  }
}
