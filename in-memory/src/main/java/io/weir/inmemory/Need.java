package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.FURTHEST_US;
import static io.weir.core.slot.SlotLimits.LONGEST_US;
import static io.weir.core.slot.SlotLimits.MOST_WAIT_US;
import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.TURNS;

import io.weir.core.bucket.Bucket;
import org.jspecify.annotations.Nullable;

/**
 * The times that scale with one cost. {@code lua/lib/queue/view.lua} has the same.
 *
 * @param micros the time that the cost takes at the whole rate
 */
record Need(long micros) {
  /**
   * The need of a cost.
   *
   * @param cost in units
   */
  static Need of(long cost, Bucket bucket) {
    return new Need(Math.min(LONGEST_US, ceilDiv(cost, bucket.unitsPerMicro())));
  }

  /** The wait until so many units have drained; 0 if there are none. */
  static long wait(long units, Bucket bucket) {
    return Math.max(0, Math.min(MOST_WAIT_US, ceilDiv(units, bucket.unitsPerMicro())));
  }

  /** The time of several such costs. */
  long micros(long times) {
    return times > LONGEST_US / micros ? LONGEST_US : micros * times;
  }

  /** The costs that drain in a second, divided among those that wait. */
  long perSecond(long waiting) {
    return SECOND_US / (micros * waiting);
  }

  /** How far ahead estimates, turns and shares are at most: as the calendar, or so many such costs. */
  long furthestMicros(@Nullable Calendar calendar) {
    long bins = calendar == null ? 0 : calendar.bins.reachMicros();
    return Math.max(FURTHEST_US, Math.max(bins, TURNS * micros));
  }
}
