package io.weir.model;

import io.weir.kind.Congestion;
import io.weir.kind.KindDemand;
import io.weir.kind.Permits;
import io.weir.kind.Quota;

/** The arithmetic of one kind of limit. The file of the kind in {@code lua/lib} says the same to Redis. */
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

  /** How it stands for a request. Changes nothing. */
  Stood standing(Counter stored, Asked asked);

  /**
   * Settles a request: gives the counter after the cost of an admitted request has changed.
   *
   * @param taken what {@link #mark} was when the request was admitted
   * @param delta operations more, or less where negative
   * @param isUndone whether the request is undone altogether
   */
  default Counter settled(
      Counter stored, long taken, long delta, boolean isUndone, long nowMicros) {
    return stored;
  }

  /** What a reservation notes of an admitted request: which period it belongs to; 0 where that means nothing. */
  default long mark(long nowMicros) {
    return 0;
  }

  /** The most operations that a request can ever be charged here at once. */
  default long mostAtOnce() {
    return Long.MAX_VALUE;
  }

  /** How many times as much a request costs, in thousandths, before anything is asked. */
  default long priceMillis(Counter stored, Asked asked) {
    return Congestion.ONE;
  }
}
