package io.weir.node.envoy.rule;

import io.weir.core.assignment.DividedLimit;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FrozenPart;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/**
 * So many requests in a unit of time.
 *
 * @param requests 0 to {@link #MOST}; 0 lets nothing pass
 */
public record UnitLimit(long requests, LimitUnit unit) {
  /** The most requests: the protocol has 32 bits. */
  public static final long MOST = 0xFFFF_FFFFL;

  private static final int NEAR_PERCENT = 80;

  /** Whether it can be {@link #divided} if it is above 0. */
  boolean isDivisible() {
    return unit.seconds() > 0 && unit.seconds() <= DividedLimit.MOST_SECONDS;
  }

  /** The limit as one that is divided; empty if it lets nothing pass. */
  public Optional<DividedLimit> divided() {
    return requests == 0
        ? Optional.empty()
        : Optional.of(new DividedLimit(requests, unit.seconds()));
  }

  /** The limit in a plan, a bucket or a quota of this name. */
  OperationLimit compile(String name) {
    if (requests == 0) {
      return new Frozen(FrozenPart.OPERATION);
    }
    if (unit.isOfCalendar()) {
      CalendarPeriods months = new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 1);
      Quota quota = new Quota(name, Scope.KEY, requests, months, false, NEAR_PERCENT, false, false);
      return new Limited(List.of(), List.of(quota));
    }
    Rate rate = Rate.countable(requests, unit.micros(), unit.millis());
    Bucket bucket = new Bucket(name, Scope.KEY, rate, unit.millis());
    return new Limited(List.of(Demand.of(bucket)), List.of());
  }
}
