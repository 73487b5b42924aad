package io.weir.core.policy;

import io.weir.core.policy.schema.Problem;
import java.util.List;

/**
 * The result of reading a policy.
 *
 * @param warnings the warnings; no errors
 */
public record PolicyReading(Policy policy, List<Problem> warnings) {
  public PolicyReading {
    warnings = List.copyOf(warnings);
  }
}
