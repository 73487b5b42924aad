package io.weir.testkit.judge;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Periods.Span;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The limits of a charge in the words of the judges: their names with their owners, and what it takes of them. */
final class ChargeLimits {
  /** The name under which reservations are held. */
  static final String RESERVATIONS = "reservations";

  private ChargeLimits() {}

  /** The names of all that a charge holds by lease. */
  static List<String> heldIn(Charge charge) {
    List<String> limits = new ArrayList<>();
    kinds(charge, Permits.class).forEach(permit -> limits.add(name(charge, permit)));
    if (charge.extras().hold().filter(Hold::reserves).isPresent()) {
      limits.add(RESERVATIONS);
    }
    return limits;
  }

  static <K> List<K> kinds(Charge charge, Class<K> type) {
    return charge.extras().demands().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  /** The quotas of a charge, each with its overflow. */
  static List<List<Quota>> quotas(Charge charge) {
    List<List<Quota>> pairs = new ArrayList<>();
    for (Quota quota : kinds(charge, Quota.class)) {
      if (quota.overflow()) {
        pairs.set(pairs.size() - 1, List.of(pairs.get(pairs.size() - 1).get(0), quota));
      } else {
        pairs.add(List.of(quota));
      }
    }
    return pairs;
  }

  /** The demands of a charge on rates, each with its overflow. */
  static List<List<Demand>> rates(Charge charge) {
    List<Demand> demands = charge.demands();
    List<List<Demand>> pairs = new ArrayList<>();
    for (int i = 0; i < demands.size(); i++) {
      if (!demands.get(i).overflow()) {
        pairs.add(
            Demand.hasOverflow(demands, i)
                ? List.of(demands.get(i), demands.get(i + 1))
                : List.of(demands.get(i)));
      }
    }
    return pairs;
  }

  static RateJudge.Shape shape(Charge charge, Demand demand) {
    Bucket bucket = demand.bucket();
    return new RateJudge.Shape(
        name(charge, bucket.scope(), bucket.name()),
        bucket.rate().toString(),
        bucket.unitsPerMicro(),
        bucket.capacityUnits());
  }

  static String name(Charge charge, Permits permit) {
    return name(charge, permit.scope(), permit.name());
  }

  static String name(Charge charge, Scope scope, String limit) {
    return switch (scope) {
      case KEY -> charge.tenant() + "/" + charge.subject() + " " + limit;
      case TENANT -> charge.tenant() + " " + limit;
      case CLUSTER -> limit;
    };
  }

  static String id(Charge charge) {
    return charge.tenant() + "/" + charge.subject() + "/"
        + charge.extras().hold().map(Hold::id).orElse("");
  }

  static BigInteger units(Demand demand, long cost) {
    return big(demand.perRequest() ? 1 : cost).multiply(big(demand.unitsPerOperation()));
  }

  static QuotaJudge.Shape shape(Charge charge, Quota quota, long nowMicros) {
    Span span = quota.window().at(nowMicros);
    QuotaJudge.Window window = new QuotaJudge.Window(
        span.startMicros(), span.endMicros(), quota.window().slides());
    return new QuotaJudge.Shape(
        name(charge, quota.scope(), quota.name()), window, quota.limit(), quota.isSoft());
  }

  static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }
}
