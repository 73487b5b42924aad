package io.weir.inmemory;

import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Standing;
import java.util.ArrayList;
import java.util.List;

/**
 * The standing of a limit for one request, and the counters to store.
 *
 * @param taken the counter if the request is admitted
 * @param denied the counter if this limit denies it
 */
record LimitStanding(Standing standing, Counter taken, Counter denied) {

  /**
   * Selects whether a limit or its overflow is charged: the first that has room; if neither has, the one that has room
   * earlier gives the wait.
   */
  static List<LimitStanding> charged(List<KindDemand> demands, List<LimitStanding> all) {
    List<LimitStanding> charged = new ArrayList<>(all);
    for (int i = 1; i < charged.size(); i++) {
      if (demands.get(i).overflow()) {
        LimitStanding first = charged.get(i - 1);
        LimitStanding other = charged.get(i);
        boolean isOther = first.comesAfter(other);
        charged.set(i - 1, isOther ? first.uncharged() : first);
        charged.set(i, isOther ? other : other.uncharged());
      }
    }
    return charged;
  }

  private boolean comesAfter(LimitStanding other) {
    if (standing.hasRoom() || other.standing.isNever()) {
      return false;
    }
    return standing.isNever() || other.standing.waitMicros() < standing.waitMicros();
  }

  private LimitStanding uncharged() {
    Standing free = new Standing(
        Standing.ROOM, standing.used(), standing.resetMicros(), standing.near(), false);
    return new LimitStanding(free, denied, denied);
  }
}
