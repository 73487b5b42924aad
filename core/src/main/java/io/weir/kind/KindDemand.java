package io.weir.kind;

import io.weir.bucket.Scope;

/**
 * The demand of one operation on a limit that is not a rate. Each implementation is one kind: it has the arithmetic of the
 * kind, and writes its parameters for the scripts. Immutable.
 */
public interface KindDemand {

  /** What it limits. */
  Kind kind();

  /** The limit's name. */
  String name();

  /** Whose limit it is. */
  Scope scope();

  /** Whether it is asked only where the demand before it has no room. */
  default boolean overflow() {
    return false;
  }

  /** How much it admits at all. */
  long quota();

  /** The most operations that a request can ever be charged here at once. */
  default long mostAtOnce() {
    return Long.MAX_VALUE;
  }

  /** How it stands for a request. Changes nothing. */
  Standing standing(Counter stored, Asked asked);

  /**
   * Settles a request: gives the counter after the cost of an admitted request has changed.
   *
   * @param taken what {@link #mark} was when the request was admitted
   * @param delta operations more, or less where negative
   * @param isUndone whether the request is undone altogether
   */
  default Counter settled(
      Counter stored, long taken, long delta, boolean isUndone, long nowMicros) {
    return stored;
  }

  /** What a reservation notes of an admitted request: which window it belongs to; 0 where that means nothing. */
  default long mark(long nowMicros) {
    return 0;
  }

  /** How long its period is, in milliseconds; 0 where it has none. */
  default long windowMillis() {
    return 0;
  }

  /** How many operations of a request it counts. */
  default long counted(long cost) {
    return 0;
  }

  /** How many times as much a request costs, in thousandths, before anything is asked. */
  default long priceMillis(Counter stored, Asked asked) {
    return Congestion.ONE;
  }

  /**
   * Its parameters for a script, words and numbers with a space between, see the file of its kind in {@code lua/lib}.
   *
   * @param nowMicros about when it will be asked
   */
  String words(long nowMicros);

  /** Until when {@link #words} of this instant hold. */
  default long wordsHoldUntil(long nowMicros) {
    return Long.MAX_VALUE;
  }
}
