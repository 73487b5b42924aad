package io.weir.testkit;

import java.util.function.LongSupplier;

/**
 * A clock that only a test moves, in microseconds. Mutable; owned by the test. It starts at an odd instant in the
 * future, so that no key of a test expires by Redis's own clock.
 */
public final class ManualClock implements LongSupplier {
  private static final long START_MICROS = 4_000_000_000_001_363L;

  private long micros = START_MICROS;
  private long passedMicros = START_MICROS;

  /** Moves the clock; a negative step moves it back. */
  public void advance(long stepMicros) {
    micros += stepMicros;
    passedMicros += Math.max(0, stepMicros);
  }

  /** The clock without its steps back: the most time that can have passed, for a judge. */
  public long passedMicros() {
    return passedMicros;
  }

  @Override
  public long getAsLong() {
    return micros;
  }
}
