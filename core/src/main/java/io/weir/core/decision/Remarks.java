package io.weir.core.decision;

import io.weir.core.kind.Congestion;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Additional facts of a decision: congestion, overflow, quotas that are nearly used up, and by what it can be found.
 *
 * @param multiplierMillis the highest multiplier of the buckets of the request, in thousandths; {@link Congestion#ONE}
 *     if none is full
 * @param paidBy the limits that paid instead of a full one
 * @param near the limits of which callers are warned
 * @param granted the operations that were taken for a request that accepts less than its cost; empty for others
 * @param id by which operators find the decision; empty if it is not remembered
 */
public record Remarks(
    long multiplierMillis,
    List<String> paidBy,
    List<String> near,
    OptionalLong granted,
    Optional<String> id) {

  /** No remarks. */
  public static final Remarks NONE =
      new Remarks(Congestion.ONE, List.of(), List.of(), OptionalLong.empty(), Optional.empty());

  public Remarks {
    paidBy = List.copyOf(paidBy);
    near = List.copyOf(near);
  }

  public Remarks(long multiplierMillis, List<String> paidBy, List<String> near) {
    this(multiplierMillis, paidBy, near, OptionalLong.empty(), Optional.empty());
  }

  /** Whether there is nothing about limits. */
  public boolean isPlain() {
    return multiplierMillis == Congestion.ONE && paidBy.isEmpty() && near.isEmpty();
  }

  Remarks withId(String found) {
    return new Remarks(multiplierMillis, paidBy, near, granted, Optional.of(found));
  }

  Remarks withGranted(long operations) {
    return new Remarks(multiplierMillis, paidBy, near, OptionalLong.of(operations), id);
  }
}
