package io.weir.testkit.judge;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Remarks;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * The payment of an admitted charge, by the remarks of its answer.
 *
 * @param demands those that pay: of a bucket and its overflow, one
 * @param quotas likewise
 * @param operations that were granted
 * @param price of each, in thousandths
 */
record Payment(
    Charge charge, List<Demand> demands, List<Quota> quotas, long operations, long price) {

  static Payment of(Charge charge, Remarks remarks) {
    long operations = remarks.granted().orElse(charge.cost());
    List<Demand> demands = new ArrayList<>();
    for (List<Demand> pair : ChargeLimits.rates(charge)) {
      Demand other = pair.get(pair.size() - 1);
      demands.add(remarks.paidBy().contains(other.bucket().name()) ? other : pair.get(0));
    }
    List<Quota> quotas = new ArrayList<>();
    for (List<Quota> pair : ChargeLimits.quotas(charge)) {
      Quota other = pair.get(pair.size() - 1);
      quotas.add(remarks.paidBy().contains(other.name()) ? other : pair.get(0));
    }
    return new Payment(
        charge,
        demands,
        quotas,
        operations,
        Prices.price(charge, operations, remarks.multiplierMillis()));
  }

  /** The units that so many operations take of a bucket. */
  BigInteger units(Demand demand, long cost) {
    return ChargeLimits.units(demand, Prices.at(price, cost));
  }

  /** The units that were taken of a bucket. */
  BigInteger units(Demand demand) {
    return units(demand, operations);
  }

  /** The operations that a quota counted. */
  long counted(Quota quota) {
    return quota.counted(Prices.at(price, operations));
  }
}
