package io.weir.core.decision;

import io.weir.core.kind.Congestion;
import java.util.List;

/**
 * Additional facts of a decision: congestion, overflow, quotas that are nearly used up.
 *
 * @param multiplierMillis the highest multiplier of the buckets of the request, in thousandths; {@link Congestion#ONE}
 *     if none is full
 * @param paidBy the limits that paid instead of a full one
 * @param near the limits of which callers are warned
 */
public record Remarks(long multiplierMillis, List<String> paidBy, List<String> near) {

  /** No remarks. */
  public static final Remarks NONE = new Remarks(Congestion.ONE, List.of(), List.of());

  public Remarks {
    paidBy = List.copyOf(paidBy);
    near = List.copyOf(near);
  }
}
