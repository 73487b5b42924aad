package io.weir.policy;

import java.util.List;

/**
 * A policy that was read.
 *
 * @param warnings what is worth a look; no errors
 */
public record PolicyReading(Policy policy, List<Problem> warnings) {
  public PolicyReading {
    warnings = List.copyOf(warnings);
  }
}
