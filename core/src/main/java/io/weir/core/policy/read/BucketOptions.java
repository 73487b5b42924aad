package io.weir.core.policy.read;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.kind.Congestion.Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a bucket in the policy, without its rate and burst.
 *
 * @param countsRequests whether each request counts as one operation, whatever its cost
 * @param overflow the bucket that is used if this one has no room
 * @param congestion the mapping from its level to a multiplier
 * @param isPrice whether the cost of operations is multiplied
 * @param kept the share that is reserved for some plans or operations
 * @param mode whether it is enforced
 */
record BucketOptions(
    boolean countsRequests,
    Optional<String> overflow,
    Optional<Scale> congestion,
    boolean isPrice,
    Optional<Kept> kept,
    LimitMode mode) {

  static final BucketOptions NONE = new BucketOptions(
      false, Optional.empty(), Optional.empty(), false, Optional.empty(), LimitMode.ENFORCE);

  private static final int PERCENT = 100;

  /**
   * A reserved share of a bucket.
   *
   * @param percent of rate and burst, 1 to 99
   * @param plans the plans that may use it; empty for all
   * @param operations the operations that may use it; empty for all
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

  /** The bucket without the reserved share. */
  Bucket shared(Bucket whole) {
    return kept.map(share -> part(whole, whole.name(), PERCENT - share.percent()))
        .orElse(whole);
  }

  /** The demands of an operation of a plan on the bucket, in the order of use. */
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

  /** The same demand, used only if the one before it has no room. */
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

  /** Whether each part of the bucket can hold one operation of each kind. */
  boolean holds(BucketShape shape) {
    return kept.isEmpty()
        || shape.demands().values().stream()
            .allMatch(whole -> fits(whole, kept.get().percent())
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
