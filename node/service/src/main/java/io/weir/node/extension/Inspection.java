package io.weir.node.extension;

import io.weir.core.policy.Policy;
import io.weir.state.inspect.StateInspector;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A state that {@code weir inspect --OPTION NAME} and {@code GET /v1/states} show.
 *
 * @param option the option, without hyphens; a word for the thing, too
 * @param description of the option
 * @param show the fields of the thing with a name; empty if the shared state has none
 * @param words these fields as people read them, by the time now; what is of no use to them is left out
 * @param names the names of the things of a policy
 */
public record Inspection(
    String option,
    String description,
    BiFunction<StateInspector, String, Map<String, String>> show,
    BiFunction<Map<String, String>, Instant, Map<String, String>> words,
    Function<Policy, Set<String>> names,
    Sentences sentences) {

  /**
   * The sentences for a thing without fields, with {@code %s} for its name.
   *
   * @param nothing of a known one
   * @param unknown of one that the policy does not have; its revision follows
   */
  public record Sentences(String nothing, String unknown) {}
}
