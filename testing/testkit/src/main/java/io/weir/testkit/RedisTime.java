package io.weir.testkit;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock by which a Redis on this machine drains its states. The system clock may be set forward or back while a
 * test runs; a state never goes back, and neither does this clock.
 */
public final class RedisTime {
  private static final Clock CLOCK = Clock.systemUTC();
  private static final AtomicLong LATEST = new AtomicLong();

  private RedisTime() {}

  /** Nanoseconds since 1970. */
  public static long nanos() {
    Instant now = CLOCK.instant();
    long nanos = now.getEpochSecond() * 1_000_000_000 + now.getNano();
    return LATEST.accumulateAndGet(nanos, Math::max);
  }
}
