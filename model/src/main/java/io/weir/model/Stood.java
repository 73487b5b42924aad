package io.weir.model;

import io.weir.kind.KindDemand;
import io.weir.kind.Standing;
import java.util.ArrayList;
import java.util.List;

/**
 * How a limit stands for one request, and what is stored then.
 *
 * @param taken what is stored where the request is admitted
 * @param denied what is stored where this limit denies it
 */
record Stood(Standing standing, Counter taken, Counter denied) {

  /**
   * Decides which of a limit and the one it overflows to is charged: the first that has room; where neither has, the one
   * that has some first says when.
   */
  static List<Stood> charged(List<KindDemand> demands, List<Stood> all) {
    List<Stood> charged = new ArrayList<>(all);
    for (int i = 1; i < charged.size(); i++) {
      if (demands.get(i).overflow()) {
        Stood first = charged.get(i - 1);
        Stood other = charged.get(i);
        boolean isOther = first.comesAfter(other);
        charged.set(i - 1, isOther ? first.uncharged() : first);
        charged.set(i, isOther ? other : other.uncharged());
      }
    }
    return charged;
  }

  private boolean comesAfter(Stood other) {
    if (standing.hasRoom() || other.standing.isNever()) {
      return false;
    }
    return standing.isNever() || other.standing.waitMicros() < standing.waitMicros();
  }

  private Stood uncharged() {
    Standing free = new Standing(
        Standing.ROOM, standing.used(), standing.resetMicros(), standing.near(), false);
    return new Stood(free, denied, denied);
  }
}
