package io.weir.core.decision;

import io.weir.core.bucket.Demand;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one decision, each computed on first access, because most decisions are never inspected. Safe for use
 * by many threads; two threads may compute the same limit twice.
 */
final class Limits extends AbstractList<Limit> implements RandomAccess {
  private final List<Demand> demands;
  private final long @Nullable [] usedUnits;
  private final long usedOfOnly;
  private @Nullable Limit @Nullable [] known;

  /** @param usedUnits per demand; not modified afterwards */
  Limits(List<Demand> demands, long[] usedUnits) {
    this.demands = demands;
    this.usedUnits = usedUnits;
    this.usedOfOnly = 0;
  }

  /** The limit of the only demand. */
  Limits(List<Demand> demands, long usedUnits) {
    this.demands = demands;
    this.usedUnits = null; // the most frequent decisions make no array
    this.usedOfOnly = usedUnits;
  }

  /** Returns an unmodifiable list: this one, or a copy. */
  static List<Limit> immutable(List<Limit> limits) {
    return limits instanceof Limits ? limits : List.copyOf(limits);
  }

  List<Demand> demands() {
    return demands;
  }

  long usedUnits(int index) {
    return usedUnits == null ? usedOfOnly : usedUnits[index];
  }

  @Override
  public Limit get(int index) {
    @Nullable Limit[] all = known;
    if (all == null) {
      all = new Limit[demands.size()];
      known = all;
    }
    Limit limit = all[index];
    if (limit == null) {
      limit = Limit.of(demands.get(index), usedUnits(index));
      all[index] = limit;
    }
    return limit;
  }

  @Override
  public int size() {
    return demands.size();
  }
}
