package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.kinds;
import static io.weir.testkit.judge.ChargeLimits.name;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.ChargeLimits.units;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.List;

/**
 * Judges refunds and debts without a reservation: as much is given back as is in use, and what is owed is taken. For
 * charges on limits of the key alone, without a hold. Mutable; owned by one judge.
 */
final class CorrectionJudge {
  private final ManualClock clock;
  private final RateJudge rates;
  private final QuotaJudge quotas;

  CorrectionJudge(ManualClock clock, RateJudge rates, QuotaJudge quotas) {
    this.clock = clock;
    this.rates = rates;
    this.quotas = quotas;
  }

  /**
   * A store gave back the cost of a charge, or as much of it as was in use.
   *
   * @param given the units of its demands, then the operations of its quotas
   */
  void refunded(Charge charge, List<Long> given) {
    List<Demand> demands = charge.demands();
    List<Quota> ofQuotas = kinds(charge, Quota.class);
    require(given.size() == demands.size() + ofQuotas.size(), "gave back", given);
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      rates.refunded(shape(charge, demand), units(demand, charge.cost()), big(given.get(i)));
    }
    for (int i = 0; i < ofQuotas.size(); i++) {
      String name = name(charge, Scope.KEY, ofQuotas.get(i).name());
      quotas.refunded(name, big(charge.cost()), big(given.get(demands.size() + i)));
    }
  }

  /** A store took the cost of a charge, beyond its limits if need be. */
  void owed(Charge charge) {
    for (Demand demand : charge.demands()) {
      BigInteger units = units(demand, charge.cost());
      rates.shaped(shape(charge, demand)); // as an admission does
      rates.settled(shape(charge, demand), "", BigInteger.ZERO, units);
    }
    for (Quota quota : kinds(charge, Quota.class)) {
      quotas.taken(shape(charge, quota, clock.getAsLong()), big(quota.counted(charge.cost())));
    }
  }
}
