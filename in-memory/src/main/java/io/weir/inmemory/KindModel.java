package io.weir.inmemory;

import io.weir.core.kind.Congestion;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.kind.Standing;

/** The arithmetic of one kind of limit. The file of the kind in {@code lua/lib} has the same for Redis. */
interface KindModel {

  /** The arithmetic of a demand. */
  static KindModel of(KindDemand demand) {
    if (demand instanceof Quota quota) {
      return new QuotaModel(quota);
    }
    if (demand instanceof Permits permits) {
      return new PermitsModel(permits);
    }
    return new CongestionModel((Congestion) demand);
  }

  /** Returns the state of the limit for a request. Changes nothing. */
  LimitStanding standing(Counter stored, ModelRequest asked);

  /**
   * Settles a request: gives the counter after the cost of an admitted request has changed.
   *
   * @param taken the value of {@link #mark} when the request was admitted
   * @param delta the difference in operations; negative for fewer
   * @param isUndone whether the whole request is undone
   */
  default Counter settled(
      Counter stored, long taken, long delta, boolean isUndone, long nowMicros) {
    return stored;
  }

  /** The mark in the reservation of an admitted request: the period it belongs to; 0 if the kind has none. */
  default long mark(long nowMicros) {
    return 0;
  }

  /** The most operations that one request can ever be charged here. */
  default long mostAtOnce() {
    return Long.MAX_VALUE;
  }

  /** The most operations of one request that it has room for now, by its standing for any cost. */
  default long room(Standing standing) {
    return standing.hasRoom() ? Long.MAX_VALUE : 0;
  }

  /** The factor on the cost of a request, in thousandths, before anything is charged. */
  default long priceMillis(Counter stored, ModelRequest asked) {
    return Congestion.ONE;
  }
}
