package io.weir.decision;

import io.weir.bucket.Draw;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one decision, each worked out when it is first asked for: most decisions are never looked into.
 * Safe for use by many threads, which may work out the same limit twice.
 */
final class Limits extends AbstractList<Limit> implements RandomAccess {
  private final List<Draw> draws;
  private final long[] usedUnits;
  private @Nullable Limit @Nullable [] known;

  /** @param usedUnits per draw; from now on nobody changes them */
  Limits(List<Draw> draws, long[] usedUnits) {
    this.draws = draws;
    this.usedUnits = usedUnits;
  }

  /** A list that nobody can change: this one, or a copy. */
  static List<Limit> immutable(List<Limit> limits) {
    return limits instanceof Limits ? limits : List.copyOf(limits);
  }

  @Override
  public Limit get(int index) {
    @Nullable Limit[] all = known;
    if (all == null) {
      all = new Limit[usedUnits.length];
      known = all;
    }
    Limit limit = all[index];
    if (limit == null) {
      limit = Limit.of(draws.get(index), usedUnits[index]);
      all[index] = limit;
    }
    return limit;
  }

  @Override
  public int size() {
    return draws.size();
  }
}
