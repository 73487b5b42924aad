package io.weir.core.policy;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import java.util.List;

/** The limit of one operation in a plan. */
public sealed interface OperationLimit {

  /**
   * The operation demands from buckets.
   *
   * @param demands each bucket once, in the order of the policy
   * @param others demands on limits other than rates; at least one of the lists is not empty
   */
  record Limited(List<Demand> demands, List<KindDemand> others) implements OperationLimit {
    public Limited {
      demands = List.copyOf(demands);
      others = List.copyOf(others);
    }

    /** Whether a request needs a hold, because it takes permits. */
    public boolean needsHold() {
      for (KindDemand other : others) {
        if (other instanceof Permits) {
          return true;
        }
      }
      return false;
    }

    /** Whether the cost of a request depends on the level of a bucket. */
    public boolean isPriced() {
      for (KindDemand other : others) {
        if (other instanceof Congestion congestion && congestion.isPrice()) {
          return true;
        }
      }
      return false;
    }
  }

  /** The operation is always allowed and never counted. */
  record Unlimited() implements OperationLimit {}

  /**
   * All requests are refused.
   *
   * @param part which refuses them
   */
  record Frozen(FrozenPart part) implements OperationLimit {}

  /** No bucket limits the operation, and the policy denies such operations. */
  record NotConfigured() implements OperationLimit {}
}
