package io.weir.testkit.judge;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Congestion.Point;
import io.weir.core.kind.Congestion.Scale;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;

/**
 * Adds to charges what few of them have: buckets and quotas that pay instead of full ones, prices and denials by
 * congestion, costs of which a part is accepted, and reservations under an id that was used before. Mutable; owned by one
 * history.
 */
final class MixedCharges {
  private static final long SECOND = 1_000_000;
  private static final int KEPT_IDS = 8;

  private final Random random;
  private final boolean areOfKeys;
  private final Map<String, Bucket> others = new HashMap<>();
  private final Map<Bucket, Congestion> congestions = new HashMap<>();
  private final Map<String, Quota> otherQuotas = new HashMap<>();
  private final List<String> ids = new ArrayList<>();

  MixedCharges(Random random) {
    this(random, false);
  }

  private MixedCharges(Random random, boolean areOfKeys) {
    this.random = random;
    this.areOfKeys = areOfKeys;
  }

  /** Charges whose added limits belong to keys alone. */
  static MixedCharges ofKeys(Random random) {
    return new MixedCharges(random, true);
  }

  /** The same charge, with more. */
  Charge with(Charge charge) {
    Amount amount = charge.amount();
    if (oneIn(2)) {
      amount = amount.withDemands(demands(amount.demands()));
    }
    amount = amount.withExtras(extras(charge));
    if (oneIn(4)) {
      long most = charge.cost() * 3 + 1;
      amount = amount.costing(new Cost(most, 1 + random.nextLong(most)));
    }
    return charge.with(amount);
  }

  private List<Demand> demands(List<Demand> of) {
    List<Demand> demands = new ArrayList<>();
    for (Demand demand : of) {
      demands.add(demand);
      if (oneIn(2)) {
        Bucket other = others.computeIfAbsent(demand.bucket().name(), this::other);
        demands.add(new Demand(other, other.unitsPerOperation(), false, true));
      }
    }
    return demands;
  }

  private Bucket other(String of) {
    long milliOps = 1000L * (1 + random.nextInt(30));
    Scope scope = random.nextBoolean() ? Scope.KEY : shared();
    return new Bucket(
        "of-" + of, scope, Rate.ofMilliOpsPerSec(milliOps), 1000 + random.nextLong(5000));
  }

  private Extras extras(Charge charge) {
    List<KindDemand> kinds = new ArrayList<>();
    for (KindDemand kind : charge.extras().demands()) {
      kinds.add(kind);
      if (kind instanceof Quota quota && quota.name().equals("q0") && oneIn(2)) {
        kinds.add(otherQuotas.computeIfAbsent(quota.name(), this::otherQuota));
      }
    }
    if (oneIn(3) && !charge.demands().isEmpty()) {
      Demand demand = charge.demands().get(random.nextInt(charge.demands().size()));
      kinds.add(congestions.computeIfAbsent(demand.bucket(), bucket -> congestion(demand)));
    }
    return new Extras(kinds, charge.extras().hold().map(this::hold));
  }

  private Quota otherQuota(String of) {
    FixedPeriods window = new FixedPeriods(1000 + random.nextInt(20_000), false);
    return new Quota("of-" + of, shared(), 1 + random.nextInt(200), window, false, 80, false, true);
  }

  private Scope shared() {
    return areOfKeys ? Scope.KEY : Scope.TENANT;
  }

  private Congestion congestion(Demand demand) {
    List<Point> points = List.of(
        new Point(500 + random.nextInt(2000), 1000 + random.nextInt(1000)),
        new Point(4000 + random.nextInt(2000), 2500 + random.nextInt(1000)),
        new Point(9000 + random.nextInt(1000), 5000 + random.nextInt(9000)));
    OptionalLong period = switch (random.nextInt(3)) {
      case 0 -> OptionalLong.empty();
      case 1 -> OptionalLong.of(0);
      default -> OptionalLong.of(random.nextLong(2 * SECOND));
    };
    return new Congestion(
        demand.bucket(),
        demand,
        new Scale(points, period),
        random.nextBoolean(),
        oneIn(3) ? OptionalLong.of(1500 + random.nextInt(5000)) : OptionalLong.empty());
  }

  // Sometimes a reservation under an id that was used before, with the same content or another one.
  private Hold hold(Hold hold) {
    if (!hold.reserves()) {
      return hold;
    }
    boolean isAgain = !ids.isEmpty() && oneIn(6);
    String id = isAgain ? ids.get(random.nextInt(ids.size())) : hold.id();
    String asked = isAgain && oneIn(3) ? "other" : "same";
    ids.add(id);
    if (ids.size() > KEPT_IDS) {
      ids.remove(0);
    }
    return new Hold(id, asked, hold.leaseMicros(), true, hold.refundsOnExpiry());
  }

  private boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }
}
