package io.weir.node.resp;

import java.util.OptionalLong;

/** Numbers in the words of commands. */
final class Numerals {
  private Numerals() {}

  /** A whole number within bounds; throws {@link RespException} if it is none. */
  static long require(String word, String name, long min, long max) {
    return read(word, min, max)
        .orElseThrow(() -> RespException.of(
            "ERR %s: (expected: a whole number from %d to %d)".formatted(name, min, max)));
  }

  private static OptionalLong read(String word, long min, long max) {
    try {
      long number = Long.parseLong(word);
      return number >= min && number <= max ? OptionalLong.of(number) : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
