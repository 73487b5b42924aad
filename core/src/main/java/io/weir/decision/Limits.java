package io.weir.decision;

import io.weir.bucket.Draw;
import java.util.AbstractList;
import java.util.List;
import java.util.RandomAccess;

/** The limits of one decision, each worked out when it is asked for: most decisions are never looked into. */
final class Limits extends AbstractList<Limit> implements RandomAccess {
  private final List<Draw> draws;
  private final long[] usedUnits;
  private final long lagMicros;

  /** @param usedUnits per draw; from now on nobody changes them */
  Limits(List<Draw> draws, long[] usedUnits, long lagMicros) {
    this.draws = draws;
    this.usedUnits = usedUnits;
    this.lagMicros = lagMicros;
  }

  /** A list that nobody can change: this one, or a copy. */
  static List<Limit> immutable(List<Limit> limits) {
    return limits instanceof Limits ? limits : List.copyOf(limits);
  }

  @Override
  public Limit get(int index) {
    return Limit.of(draws.get(index), usedUnits[index], lagMicros);
  }

  @Override
  public int size() {
    return draws.size();
  }
}
