package io.weir.state.policy;

import io.weir.core.policy.schema.Problem;
import java.util.List;

/**
 * A policy that was put in force.
 *
 * @param replaced the revision that was in force before
 * @param warnings problems that did not prevent it
 */
public record Publication(long revision, long replaced, List<Problem> warnings) {}
