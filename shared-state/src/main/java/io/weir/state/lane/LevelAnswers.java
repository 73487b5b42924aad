package io.weir.state.lane;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.wire.Levels;
import java.util.List;
import java.util.Optional;

/**
 * The answers to equal charges that follow from the levels of their buckets alone. Immutable.
 *
 * @param after the levels after the last of them
 */
record LevelAnswers(Levels after) {

  /** @param later how many of the equal charges were admitted after this one */
  StoreAnswer allowed(Charge charge, int later) {
    return decided(charge, Outcome.ALLOWED, used(charge, later), Wait.NONE);
  }

  StoreAnswer never(Charge charge) {
    return decided(charge, Outcome.NEVER_ALLOWED, used(charge, 0), Wait.NONE);
  }

  StoreAnswer denied(Charge charge) {
    List<Demand> demands = charge.demands();
    long[] used = used(charge, 0);
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Demand demand = demands.get(i);
      wait = Math.max(
          wait, LeakyBucket.waitMicros(demand.bucket(), used[i], demand.units(charge.cost())));
    }
    return decided(charge, Outcome.DENIED, used, new Wait(wait, true, Optional.empty()));
  }

  private static StoreAnswer decided(Charge charge, Outcome outcome, long[] used, Wait wait) {
    return new Decided(charge.verdict().decision(outcome, used, wait), QueueReport.NONE);
  }

  /** The units used, as the answer to the charge shows them. */
  long[] used(Charge charge, int later) {
    List<Demand> demands = charge.demands();
    long[] used = new long[demands.size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = after.used(i) - (later == 0 ? 0 : later * demands.get(i).units(charge.cost()));
    }
    return used;
  }
}
