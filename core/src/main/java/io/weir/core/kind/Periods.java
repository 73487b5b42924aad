package io.weir.core.kind;

/** A division of time into periods. Immutable. */
public interface Periods {

  /**
   * One period.
   *
   * @param startMicros since the epoch, within it
   * @param endMicros the first instant after it
   */
  record Span(long startMicros, long endMicros) {}

  /** The period that contains an instant. */
  Span at(long nowMicros);

  /** The approximate length of a period, in milliseconds. */
  long millis();

  /** Whether the previous period fades instead of ending at once. */
  default boolean slides() {
    return false;
  }

  /** The parameters for a script, see {@code lua/lib/kinds/quota.lua}. */
  String words(long nowMicros);

  /** The time until which these words are valid. */
  long wordsHoldUntil(long nowMicros);
}
