package io.weir.decision;

import io.weir.kind.Congestion;
import java.util.List;

/**
 * Further facts of a decision: congestion, overflow, quotas that are nearly used up.
 *
 * @param multiplierMillis the highest multiplier of the buckets that were asked, in thousandths; {@link Congestion#ONE}
 *     where none is full
 * @param paidBy the limits that paid in the place of another one that was full
 * @param near the limits that callers are warned of
 */
public record Remarks(long multiplierMillis, List<String> paidBy, List<String> near) {

  /** No remarks. */
  public static final Remarks NONE = new Remarks(Congestion.ONE, List.of(), List.of());

  public Remarks {
    paidBy = List.copyOf(paidBy);
    near = List.copyOf(near);
  }
}
