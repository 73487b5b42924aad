package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.util.List;
import java.util.Optional;

/**
 * A full bucket of a tenant or of the cluster, as Redis found it. It denies all charges that need the bucket, from any
 * key.
 *
 * @param last the denial, for callers under a plan with slots
 */
record SharedDenial(
    long revision,
    Demand demand,
    long usedUnits,
    RoundTrip trip,
    SharedBudget budget,
    LastDenial last) {
  // Clocks of two machines differ by less than one part in a thousand.
  private static final int DRIFT = 1000;

  /** Whether it is of the bucket that a charge demands. */
  boolean isOf(Charge charge, Demand asked) {
    return revision == charge.revision() && asked.bucket().equals(demand.bucket());
  }

  /** Whether Redis would deny a charge that demands these units of the bucket. */
  boolean isFullFor(long units, long nowNanos) {
    long elapsed = trip.mostMicros(nowNanos);
    return LeakyBucket.canHold(demand.bucket(), units)
        && waitMicros(units) > elapsed + elapsed / DRIFT + 1;
  }

  /** The denial with the exact wait. */
  StoreAnswer deny(Charge charge, Demand asked, long nowNanos) {
    long elapsed = trip.leastMicros(nowNanos);
    long least = elapsed - elapsed / DRIFT;
    return denied(charge, asked, waitMicros(asked.units(charge.cost())) - least, least);
  }

  /** The denial of a caller beyond the limit: with the level that Redis found. */
  StoreAnswer denyBeyondBound(Charge charge, Demand asked) {
    long wait = waitMicros(asked.units(charge.cost()));
    return denied(charge, asked, Math.max(NANOSECONDS.toMicros(AskBudget.PAUSE_NANOS), wait), 0);
  }

  private long waitMicros(long units) {
    return LeakyBucket.waitMicros(demand.bucket(), usedUnits, units);
  }

  // The other buckets of another key are unknown: the denial does not list them.
  private StoreAnswer denied(Charge charge, Demand asked, long waitMicros, long elapsedMicros) {
    Bucket bucket = asked.bucket();
    long used = LeakyBucket.drained(usedUnits, bucket.unitsPerMicro(), elapsedMicros);
    Wait wait = new Wait(Math.max(1, waitMicros), true, Optional.empty());
    Verdict verdict = new Verdict(revision, List.of(asked), charge.cost());
    return new Decided(verdict.decision(Outcome.DENIED, new long[] {used}, wait), QueueReport.NONE);
  }
}
