package io.weir.benchmarks;

import java.util.List;

/**
 * A load of the comparison.
 *
 * @param inFlight the number of questions in flight
 * @param isDenied whether everything is denied
 */
record Load(int inFlight, int subjects, boolean isDenied) {

  /** @param isQuick whether only some are wanted */
  static List<Load> all(boolean isQuick) {
    return isQuick
        ? List.of(
            new Load(256, 10_000, false),
            new Load(16, 10_000, false),
            new Load(256, 1, false),
            new Load(1, 1, false),
            new Load(256, 10_000, true))
        : List.of(
            new Load(1, 1, false),
            new Load(1, 10_000, false),
            new Load(16, 1, false),
            new Load(16, 10_000, false),
            new Load(256, 1, false),
            new Load(256, 10_000, false),
            new Load(256, 10_000, true));
  }

  @Override
  public String toString() {
    return "%d in flight, %,d subjects%s".formatted(inFlight, subjects, isDenied ? ", denied" : "");
  }
}
