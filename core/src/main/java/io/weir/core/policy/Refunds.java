package io.weir.core.policy;

import java.util.Set;

/**
 * Which settled requests are given back their first charge.
 *
 * @param onExpiry those whose node died
 * @param onFailure those that failed, if the answer does not contain their cost
 * @param charged the statuses of answers that are charged at all; empty for all
 */
public record Refunds(boolean onExpiry, boolean onFailure, Set<Integer> charged) {
  public Refunds {
    charged = Set.copyOf(charged);
  }

  /** Whether an answer with this status may be charged. */
  public boolean mayCharge(int status) {
    return charged.isEmpty() || charged.contains(status);
  }
}
