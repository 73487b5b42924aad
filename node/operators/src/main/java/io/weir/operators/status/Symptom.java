package io.weir.operators.status;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * How a node sees that something may need an operator. Immutable.
 *
 * @param seen a sentence for each thing that has the symptom now, by the thing's name; the name is empty if it is the
 *     node
 * @param after how long it lasts before an operator has to know
 */
public record Symptom(Code code, Function<Readings, Map<String, String>> seen, Duration after) {

  /** A symptom of the node as a whole. */
  static Symptom ofNode(Code code, Function<Readings, Optional<String>> seen) {
    return ofThings(
        code, readings -> seen.apply(readings).map(what -> Map.of("", what)).orElse(Map.of()));
  }

  /** A symptom that things have, each for itself. */
  static Symptom ofThings(Code code, Function<Readings, Map<String, String>> seen) {
    return new Symptom(code, seen, Duration.ZERO);
  }

  /** The same, if it lasts so long. */
  Symptom after(Duration least) {
    return new Symptom(code, seen, least);
  }
}
