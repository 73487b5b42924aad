package io.weir.core.kind;

import io.weir.core.bucket.Scope;

/**
 * The demand of one operation on a limit other than a rate. Each implementation is one kind: it writes the parameters
 * of the kind for the scripts, which implement its arithmetic. Immutable.
 */
public interface KindDemand {

  /** The kind of the limit. */
  Kind kind();

  /** The letter of its kind for a script: that of its table in {@code lua/lib/kinds}. */
  char letter();

  /** The limit's name. */
  String name();

  /** The scope of the limit. */
  Scope scope();

  /** Whether it is used only if the demand before it has no room. */
  default boolean overflow() {
    return false;
  }

  /** The total that it admits. */
  long quota();

  /** The same limit with another total, or with the largest that the kind may have; unchanged if the kind has none. */
  default KindDemand withLimit(long total) {
    return this;
  }

  /** The length of its period, in milliseconds; 0 if it has none. */
  default long windowMillis() {
    return 0;
  }

  /** The operations that it counts for a request. */
  default long counted(long cost) {
    return 0;
  }

  /**
   * Its parameters for a script, words and numbers with a space between, see the file of its kind in {@code lua/lib}.
   *
   * @param nowMicros the approximate time of the charge
   */
  String words(long nowMicros);

  /** The time until which {@link #words} of this instant are valid. */
  default long wordsHoldUntil(long nowMicros) {
    return Long.MAX_VALUE;
  }
}
