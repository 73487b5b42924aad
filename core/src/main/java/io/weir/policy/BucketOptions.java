package io.weir.policy;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.bucket.Rate;
import io.weir.kind.Congestion.Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a bucket in the policy, without its rate and burst.
 *
 * @param countsRequests whether each request counts as one operation, whatever it costs
 * @param overflow the bucket that is asked where this one has no room
 * @param congestion how its level becomes a multiplier
 * @param isPrice whether operations cost as many times as much
 * @param kept the share that is held back for some
 */
record BucketOptions(
    boolean countsRequests,
    Optional<String> overflow,
    Optional<Scale> congestion,
    boolean isPrice,
    Optional<Kept> kept) {

  static final BucketOptions NONE =
      new BucketOptions(false, Optional.empty(), Optional.empty(), false, Optional.empty());

  private static final int PERCENT = 100;

  /**
   * A share of a bucket that is held back.
   *
   * @param percent of rate and burst, 1 to 99
   * @param plans those that may use it; empty for all
   * @param operations those that may use it; empty for all
   */
  record Kept(int percent, Set<String> plans, Set<String> operations) {
    Kept {
      plans = Set.copyOf(plans);
      operations = Set.copyOf(operations);
    }

    boolean isFor(String plan, String operation) {
      return (plans.isEmpty() || plans.contains(plan))
          && (operations.isEmpty() || operations.contains(operation));
    }
  }

  /** The bucket without the share that is held back. */
  Bucket shared(Bucket whole) {
    return kept.map(share -> part(whole, whole.name(), PERCENT - share.percent()))
        .orElse(whole);
  }

  /** What an operation of a plan demands of the bucket, the one that is asked first at the beginning. */
  List<Demand> demands(Demand whole, String plan, String operation) {
    Demand shared = demand(shared(whole.bucket()), whole, false);
    if (kept.filter(share -> share.isFor(plan, operation)).isEmpty()) {
      return List.of(shared);
    }
    Bucket own =
        part(whole.bucket(), whole.bucket().name() + ":kept", kept.get().percent());
    List<Demand> demands = new ArrayList<>();
    demands.add(demand(own, whole, false));
    demands.add(demand(shared.bucket(), whole, true));
    return demands;
  }

  /** The same demand where it is asked only if the one before has no room. */
  Demand asOverflow(Demand whole) {
    return demand(whole.bucket(), whole, true);
  }

  private Demand demand(Bucket bucket, Demand whole, boolean overflow) {
    return countsRequests || overflow || !bucket.equals(whole.bucket())
        ? new Demand(
            bucket,
            whole.logicalOperations() * bucket.unitsPerOperation(),
            countsRequests,
            overflow)
        : whole;
  }

  /** Whether a part of the bucket still holds this much. */
  boolean holds(Demand whole) {
    return kept.isEmpty()
        || (fits(whole, kept.get().percent())
            && fits(whole, PERCENT - kept.get().percent()));
  }

  private static boolean fits(Demand whole, int percent) {
    Bucket part = part(whole.bucket(), whole.bucket().name(), percent);
    return part.capacityUnits() / part.unitsPerOperation() >= whole.logicalOperations();
  }

  private static Bucket part(Bucket whole, String name, int percent) {
    Rate rate = whole.rate().part(percent, whole.burstMillis());
    return new Bucket(name, whole.scope(), rate, whole.burstMillis());
  }
}
