package io.weir.state.control;

import io.weir.policy.Problem;
import java.util.List;

/**
 * A policy that was put in force.
 *
 * @param warnings what is worth a look
 */
public record Publication(long revision, List<Problem> warnings) {}
