package io.weir.node.envoy.rule;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Quota;
import io.weir.core.policy.OperationLimit;
import io.weir.core.policy.OperationLimit.Frozen;
import io.weir.core.policy.OperationLimit.Limited;
import java.time.ZoneOffset;
import java.util.List;

/**
 * So many requests in a unit of time.
 *
 * @param requests 0 to {@link #MOST}; 0 lets nothing pass
 */
public record UnitLimit(long requests, LimitUnit unit) {
  /** The most requests: the protocol has 32 bits. */
  public static final long MOST = 0xFFFF_FFFFL;

  private static final int NEAR_PERCENT = 80;

  /** The limit in a plan, a bucket or a quota of this name. */
  OperationLimit compile(String name) {
    if (requests == 0) {
      return new Frozen();
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
