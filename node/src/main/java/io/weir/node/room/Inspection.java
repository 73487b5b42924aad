package io.weir.node.room;

import io.weir.core.policy.Policy;
import io.weir.state.inspect.StateInspector;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;

/**
 * A state that {@code weir inspect --OPTION NAME} shows in words.
 *
 * @param option the option, without hyphens; a word for the thing, too
 * @param description of the option
 * @param show the fields of the thing with a name; empty if the shared state has none
 * @param isKnown whether a policy has a thing with this name
 * @param nothing the sentence for a known thing without fields, with {@code %s} for its name
 */
public record Inspection(
    String option,
    String description,
    BiFunction<StateInspector, String, Map<String, String>> show,
    BiPredicate<Policy, String> isKnown,
    String nothing) {}
