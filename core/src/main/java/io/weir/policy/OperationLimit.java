package io.weir.policy;

import io.weir.bucket.Demand;
import io.weir.kind.KindDemand;
import io.weir.kind.Permits;
import java.util.List;

/** What a plan says of one operation. */
public sealed interface OperationLimit {

  /**
   * The operation demands from buckets.
   *
   * @param demands each bucket once, in the order of the policy
   * @param others of limits that are no rates; not both are empty
   */
  record Limited(List<Demand> demands, List<KindDemand> others) implements OperationLimit {
    public Limited {
      demands = List.copyOf(demands);
      others = List.copyOf(others);
    }

    /** Whether a request has to be held: it takes permits. */
    public boolean needsHold() {
      return others.stream().anyMatch(Permits.class::isInstance);
    }
  }

  /** The operation is always allowed and never counted. */
  record Unlimited() implements OperationLimit {}

  /** The operation, or the whole subject, has a limit of zero. */
  record Frozen() implements OperationLimit {}

  /** The policy denies operations that no bucket limits, and this is one. */
  record NotConfigured() implements OperationLimit {}
}
