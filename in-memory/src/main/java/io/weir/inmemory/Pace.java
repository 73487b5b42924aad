package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.LONGEST_US;
import static io.weir.core.slot.SlotLimits.SHARED_OPERATIONS;
import static io.weir.core.slot.SlotLimits.SHARED_US;
import static io.weir.core.slot.SlotLimits.WAITED_US;

import io.weir.core.bucket.Rate;

/**
 * The times that scale with a bucket. {@code lua/lib/queue/pace.lua} has the same.
 *
 * @param sharedMicros how far ahead a shared bucket makes places, and in which it counts those that wait
 * @param waitedMicros how long after its slot a ticket shows that its holder has waited
 */
record Pace(long sharedMicros, long waitedMicros) {
  static Pace of(Rate rate) {
    long operation = Math.min(LONGEST_US, rate.microsPerOperation());
    return new Pace(
        Math.max(SHARED_US, SHARED_OPERATIONS * operation), Math.max(WAITED_US, operation));
  }
}
