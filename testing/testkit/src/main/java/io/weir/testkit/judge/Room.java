package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.kinds;
import static io.weir.testkit.judge.ChargeLimits.name;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.ChargeLimits.units;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import io.weir.testkit.ManualClock;
import java.util.List;

/** The room of limits for charges, by what the judges of the limits know. Reads them alone; owned by one judge. */
final class Room {
  private final ManualClock clock;
  private final RateJudge rates;
  private final QuotaJudge quotas;
  private final PermitJudge permits;

  Room(ManualClock clock, RateJudge rates, QuotaJudge quotas, PermitJudge permits) {
    this.clock = clock;
    this.rates = rates;
    this.quotas = quotas;
    this.permits = permits;
  }

  /** Whether the cost of a charge is above the whole of a limit, and of the one that would pay instead. */
  static boolean isExceeded(Charge charge) {
    long cost = charge.atLeast().cost();
    return ChargeLimits.rates(charge).stream()
            .anyMatch(pair -> pair.stream()
                .allMatch(demand ->
                    units(demand, cost).compareTo(big(demand.bucket().capacityUnits())) > 0))
        || ChargeLimits.quotas(charge).stream()
            .anyMatch(pair -> pair.stream()
                .allMatch(quota -> !quota.isSoft() && quota.counted(cost) > quota.limit()));
  }

  /** Whether so many operations must be admitted at this multiplier. */
  boolean isFree(Charge charge, long operations, long multiplier) {
    long cost = Prices.at(Prices.price(charge, operations, multiplier), operations);
    boolean isFree = !Prices.isShed(charge, multiplier);
    for (List<Demand> pair : ChargeLimits.rates(charge)) {
      isFree &= isFree(charge, pair, cost);
    }
    for (List<Quota> pair : ChargeLimits.quotas(charge)) {
      isFree &= pair.stream()
          .anyMatch(quota ->
              quotas.isFree(shape(charge, quota, clock.getAsLong()), big(quota.counted(cost))));
    }
    for (Permits permit : kinds(charge, Permits.class)) {
      isFree &= permits.isFree(name(charge, permit), permit.limit());
    }
    return isFree;
  }

  /** Whether a payment at this multiplier may be admitted now, whoever waits. */
  boolean isPossible(Payment payment, long multiplier) {
    Charge charge = payment.charge();
    return !Prices.isShed(charge, multiplier)
        && payment.demands().stream()
            .noneMatch(demand -> rates.isFull(shape(charge, demand), payment.units(demand)))
        && payment.quotas().stream()
            .allMatch(quota -> quotas.mayFit(
                shape(charge, quota, clock.getAsLong()), big(payment.counted(quota))));
  }

  // A bucket for which somebody waits is chosen, and may then deny: only a full one surely is not.
  // A caller that shows a ticket pays in the bucket of its place.
  private boolean isFree(Charge charge, List<Demand> pair, long cost) {
    boolean isTicket = charge.ticket().shown().isPresent();
    Demand first = pair.get(0);
    boolean isFirst = rates.isFree(shape(charge, first), units(first, cost));
    if (pair.size() == 1) {
      return isFirst;
    }
    Demand other = pair.get(1);
    boolean isOther = rates.isFree(shape(charge, other), units(other, cost));
    return isTicket
        ? isFirst && isOther
        : isFirst || (isOther && rates.isFull(shape(charge, first), units(first, cost)));
  }
}
