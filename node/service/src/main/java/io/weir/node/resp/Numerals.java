package io.weir.node.resp;

import java.util.OptionalLong;

/** Numbers in the words of commands. */
final class Numerals {
  private Numerals() {}

  /** A whole number within bounds; empty if it is none. */
  static OptionalLong read(String word, long min, long max) {
    try {
      long number = Long.parseLong(word);
      return number >= min && number <= max ? OptionalLong.of(number) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
