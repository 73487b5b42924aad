package io.weir.kind;

/** How time falls into periods. Immutable. */
public interface Window {

  /**
   * One period.
   *
   * @param startMicros since the epoch, within it
   * @param endMicros the first instant after it
   */
  record Span(long startMicros, long endMicros) {}

  /** The period that an instant is in. */
  Span at(long nowMicros);

  /** About how long a period is, in milliseconds. */
  long millis();

  /** Whether the period before fades instead of ending at once. */
  default boolean slides() {
    return false;
  }

  /** Whether what was taken in the period that ends then can be counted at an instant. */
  default boolean reaches(long endMicros, long nowMicros) {
    return true;
  }

  /** The same for a script, see {@code lua/lib/quota.lua}. */
  String words(long nowMicros);

  /** Until when these words hold. */
  long wordsHoldUntil(long nowMicros);
}
