package io.weir.core.kind;

/**
 * Periods of one length, counted from the epoch.
 *
 * @param lengthMillis 1 s to 366 days
 * @param slides whether the previous period fades: it counts by the share that a sliding window of the same length
 *     still covers, in steps of a thousandth, rounded up
 */
public record FixedPeriods(long lengthMillis, boolean slides) implements Periods {
  private static final long MICROS_PER_MILLI = 1000;

  @Override
  public Span at(long nowMicros) {
    long length = lengthMillis * MICROS_PER_MILLI;
    long start = nowMicros - Math.floorMod(nowMicros, length);
    return new Span(start, start + length);
  }

  @Override
  public long millis() {
    return lengthMillis;
  }

  @Override
  public String words(long nowMicros) {
    return (slides ? "slide " : "fixed ") + lengthMillis;
  }

  @Override
  public long wordsHoldUntil(long nowMicros) {
    return Long.MAX_VALUE;
  }
}
