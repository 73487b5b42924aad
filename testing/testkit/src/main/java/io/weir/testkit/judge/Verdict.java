package io.weir.testkit.judge;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Fails where a promise is broken. */
final class Verdict {
  private Verdict() {}

  /** Requires that a promise holds; a failure has these words, with spaces between. */
  static void require(boolean isKept, Object... words) {
    if (!isKept) {
      throw new AssertionError(
          Arrays.stream(words).map(String::valueOf).collect(Collectors.joining(" ")));
    }
  }
}
