package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.List;
import java.util.Optional;

/**
 * A denial by full buckets with the same wait for all callers. The wait shrinks with time, to the microsecond: a bucket
 * drains whole units in each.
 */
@SuppressWarnings("ArrayRecordComponent")
record BucketsDenial(
    long revision, List<Demand> demands, long cost, long waitMicros, long[] used, RoundTrip trip) {

  /** Whether a charge of this cost ever passes. */
  boolean canHold(Charge charge) {
    for (Demand demand : demands) {
      if (!LeakyBucket.canHold(demand.bucket(), demand.units(charge.cost()))) {
        return false;
      }
    }
    return true;
  }

  /** The wait of a charge when Redis was asked. */
  long waitMicros(Charge charge) {
    return charge.cost() == cost ? waitMicros : waitMicros(charge, used);
  }

  StoreAnswer answer(Charge charge, long wait, long elapsedMicros) {
    long[] left = new long[used.length];
    for (int i = 0; i < left.length; i++) {
      left[i] =
          LeakyBucket.drained(used[i], demands.get(i).bucket().unitsPerMicro(), elapsedMicros);
    }
    Wait given = new Wait(wait - elapsedMicros, true, Optional.empty());
    return new Decided(charge.verdict().decision(Outcome.DENIED, left, given), QueueReport.NONE);
  }

  // The longest wait of its buckets; 0 if all have room, or one never has.
  static long waitMicros(Charge charge, long[] used) {
    long longest = 0;
    for (int i = 0; i < used.length; i++) {
      Demand demand = charge.demands().get(i);
      long units = demand.units(charge.cost());
      if (!LeakyBucket.canHold(demand.bucket(), units)) {
        return 0;
      }
      longest = Math.max(longest, LeakyBucket.waitMicros(demand.bucket(), used[i], units));
    }
    return longest;
  }
}
