package io.weir.core.throttle;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.Extras;
import java.util.List;

/**
 * The cost of a charge, and the limits that it is taken from.
 *
 * @param demands the demands of one operation, each bucket once; empty only if there are extras
 * @param operations the cost
 * @param extras the demands besides rates
 */
public record Amount(List<Demand> demands, Cost operations, Extras extras) {
  private static final int MAX_DEMANDS = 500;

  public Amount {
    demands = List.copyOf(demands);
    if (demands.isEmpty() && extras.isEmpty()) {
      throw new IllegalArgumentException("demands: none (expected: at least one)");
    }
    if (demands.size() > MAX_DEMANDS) {
      throw new IllegalArgumentException(
          "demands: %d (expected: at most %d)".formatted(demands.size(), MAX_DEMANDS));
    }
  }

  /** An amount that is taken as a whole, or not at all. */
  public Amount(List<Demand> demands, long cost, Extras extras) {
    this(demands, Cost.of(cost), extras);
  }

  /** The cost in operations; the most that is taken. */
  public long cost() {
    return operations.most();
  }

  /** An amount of rates alone. */
  public static Amount ofRates(List<Demand> demands, long cost) {
    return new Amount(demands, cost, Extras.NONE);
  }

  /** The same amount of other buckets. */
  public Amount withDemands(List<Demand> others) {
    return new Amount(others, operations, extras);
  }

  /** The same amount with other demands besides rates. */
  public Amount withExtras(Extras others) {
    return new Amount(demands, operations, others);
  }

  /** The same amount at another cost. */
  public Amount costing(Cost other) {
    return new Amount(demands, other, extras);
  }

  /** Whether it has more than rates that all count the cost, or accepts less than its cost. */
  boolean isMixed() {
    if (!extras.isEmpty() || operations.isPartial()) {
      return true;
    }
    for (Demand demand : demands) {
      if (demand.perRequest() || demand.overflow()) {
        return true;
      }
    }
    return false;
  }
}
