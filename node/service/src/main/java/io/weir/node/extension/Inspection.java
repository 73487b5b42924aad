package io.weir.node.extension;

import io.weir.core.policy.Policy;
import io.weir.state.inspect.StateInspector;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A state that {@code weir inspect --OPTION NAME} and {@code GET /v1/states} show in words.
 *
 * @param option the option, without hyphens; a word for the thing, too
 * @param description of the option
 * @param show the fields of the thing with a name; empty if the shared state has none
 * @param names the names of the things of a policy
 * @param nothing the sentence for a known thing without fields, with {@code %s} for its name
 */
public record Inspection(
    String option,
    String description,
    BiFunction<StateInspector, String, Map<String, String>> show,
    Function<Policy, Set<String>> names,
    String nothing) {}
