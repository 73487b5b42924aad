package io.weir.operators.status;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a node sees that something may need an operator. Immutable.
 *
 * @param seen a sentence for each thing that has the symptom now, by the thing's name; the name is empty if it is the
 *     node
 * @param after how long it lasts before an operator has to know
 * @param meanwhile tells what happens until then; empty if there is nothing to tell
 */
public record Symptom(
    Code code,
    Function<Readings, Map<String, String>> seen,
    Duration after,
    Supplier<String> meanwhile) {

  /** A symptom of the node as a whole. */
  static Symptom ofNode(Code code, Function<Readings, Optional<String>> seen) {
    return ofThings(
        code, readings -> seen.apply(readings).map(what -> Map.of("", what)).orElse(Map.of()));
  }

  /** A symptom that things have, each for itself. */
  static Symptom ofThings(Code code, Function<Readings, Map<String, String>> seen) {
    return new Symptom(code, seen, Duration.ZERO, () -> "");
  }

  /** The same, if it lasts so long. */
  Symptom after(Duration least) {
    return new Symptom(code, seen, least, meanwhile);
  }

  /** The same, with what happens until it ends. */
  Symptom meanwhile(Supplier<String> words) {
    return new Symptom(code, seen, after, words);
  }

  /** The remedy for the thing with this name, and what happens until then. */
  String doThis(String of) {
    return (code.doThis(of) + " " + meanwhile.get()).strip();
  }
}
