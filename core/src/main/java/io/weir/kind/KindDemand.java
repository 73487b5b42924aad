package io.weir.kind;

import io.weir.bucket.Scope;

/**
 * The demand of one operation on a limit that is not a rate. Each implementation is one kind: it writes the parameters
 * of the kind for the scripts, which have its arithmetic. Immutable.
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

  /** How long its period is, in milliseconds; 0 where it has none. */
  default long windowMillis() {
    return 0;
  }

  /** How many operations of a request it counts. */
  default long counted(long cost) {
    return 0;
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
