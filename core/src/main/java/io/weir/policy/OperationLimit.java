package io.weir.policy;

import io.weir.bucket.Demand;
import java.util.List;

/** What a plan says of one operation. */
public sealed interface OperationLimit {

  /**
   * The operation demands from buckets.
   *
   * @param demands each bucket once, in the order of the policy; not empty
   */
  record Limited(List<Demand> demands) implements OperationLimit {
    public Limited {
      demands = List.copyOf(demands);
    }
  }

  /** The operation is always allowed and never counted. */
  record Unlimited() implements OperationLimit {}

  /** The operation, or the whole subject, has a limit of zero. */
  record Frozen() implements OperationLimit {}

  /** The policy denies operations that no bucket limits, and this is one. */
  record NotConfigured() implements OperationLimit {}
}
