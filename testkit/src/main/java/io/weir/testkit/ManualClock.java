package io.weir.testkit;

import java.util.function.LongSupplier;

/**
 * A clock that only a test moves, in microseconds. Mutable; owned by the test. It starts at an odd
 * instant in the future, where no key of a rehearsal expires by Redis's own time.
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

  /** The same without the steps back: how much time has passed at most, for a judge. */
  public long passedMicros() {
    return passedMicros;
  }

  @Override
  public long getAsLong() {
    return micros;
  }
}
