package io.weir.benchmarks;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * A pattern of requests by which one key tries to slow down others.
 *
 * @param perSecond the rate of its charges
 * @param charge its n-th charge
 */
record Attack(String name, int perSecond, LongFunction<Charge> charge) {
  static final int FLOOD = 36_000;
  private static final List<Demand> HUNDRED = demand("hundred", Scope.KEY, 100, 1000);
  private static final List<Demand> TEN_THOUSAND = demand("ten-thousand", Scope.KEY, 10_000, 1000);
  private static final List<Demand> LONG = demand("long", Scope.KEY, 1000, 10_000);
  private static final List<Demand> SHARED = demand("shared", Scope.CLUSTER, 100, 1000);
  private static final List<KindDemand> QUOTA = List.of(quota(500));
  private static final List<KindDemand> PERMITS =
      List.of(new Permits("streams", Scope.KEY, 100, 60_000_000));
  private static final List<KindDemand> ALL_KINDS = List.of(quota(100_000), PERMITS.get(0));

  static List<Attack> all() {
    return List.of(
        new Attack("nobody attacks", 0, n -> plain(HUNDRED, 1)),
        new Attack("flood of a key of 100/s", FLOOD, n -> plain(HUNDRED, 1)),
        new Attack("the same, tickets wanted", FLOOD, n -> wanting(HUNDRED, n, Optional.empty())),
        new Attack("the same, forged tickets", FLOOD, n -> wanting(HUNDRED, n, forged(n))),
        new Attack("the same, costs of 1 to 50", FLOOD, n -> plain(HUNDRED, 1 + n % 50)),
        new Attack("10,000/s of a key of 10,000/s", 10_000, n -> plain(TEN_THOUSAND, 1)),
        new Attack("flood of a key of 10,000/s", FLOOD, n -> plain(TEN_THOUSAND, 1)),
        new Attack(
            "cost 2 booked, cost 1 asked", FLOOD, n -> plain(LONG, n % 40_000 < 20_000 ? 2 : 1)),
        new Attack("flood of a bucket of all tenants", FLOOD, n -> plain(SHARED, 1)),
        new Attack("the same, 500 keys of 50 tenants", FLOOD, n -> ofMany(n, SlotMode.RESERVE)),
        new Attack("the same, without slots", FLOOD, n -> ofMany(n, SlotMode.OFF)),
        new Attack(
            "a full quota",
            FLOOD,
            n -> kinds(TEN_THOUSAND, QUOTA, SlotMode.RESERVE, Optional.empty())),
        new Attack(
            "a full quota, without slots",
            FLOOD,
            n -> kinds(TEN_THOUSAND, QUOTA, SlotMode.OFF, Optional.empty())),
        new Attack(
            "full permits",
            FLOOD,
            n -> kinds(TEN_THOUSAND, PERMITS, SlotMode.RESERVE, hold(n, false))),
        new Attack(
            "full permits, without slots",
            FLOOD,
            n -> kinds(TEN_THOUSAND, PERMITS, SlotMode.OFF, hold(n, false))),
        new Attack(
            "reservations", FLOOD, n -> kinds(HUNDRED, List.of(), SlotMode.RESERVE, hold(n, true))),
        new Attack(
            "reservations, without slots",
            FLOOD,
            n -> kinds(HUNDRED, List.of(), SlotMode.OFF, hold(n, true))),
        new Attack(
            "all kinds at once",
            FLOOD,
            n -> kinds(HUNDRED, ALL_KINDS, SlotMode.RESERVE, hold(n, true))));
  }

  private static Charge ofMany(long number, SlotMode slots) {
    String tenant = "t" + number % 50;
    String key = "k" + number % 500;
    return new Charge(tenant, key, 1, SHARED, 1).with(Queueing.of(slots));
  }

  private static Charge kinds(
      List<Demand> rates, List<KindDemand> kinds, SlotMode slots, Optional<Hold> hold) {
    return new Charge(
        "attacker",
        "k",
        1,
        new Amount(rates, 1, new Extras(kinds, hold)),
        Queueing.of(slots),
        FailureMode.DENY);
  }

  private static Optional<Hold> hold(long number, boolean reserves) {
    return Optional.of(new Hold("id%020d".formatted(number), 60_000_000, reserves, true));
  }

  private static Quota quota(long limit) {
    return new Quota(
        "hour", Scope.KEY, limit, new FixedPeriods(3_600_000, false), false, 80, false, false);
  }

  private static Charge plain(List<Demand> demands, long cost) {
    return new Charge("attacker", "k", 1, demands, cost).with(Queueing.of(SlotMode.RESERVE));
  }

  private static Charge wanting(List<Demand> demands, long number, Optional<String> shown) {
    TicketRequest ticket = TicketRequest.wanted(shown, "id%020d".formatted(number));
    return new Charge("attacker", "k", 1, demands, 1).with(new Queueing(SlotMode.RESERVE, ticket));
  }

  private static Optional<String> forged(long number) {
    return Optional.of("%016d.%022d".formatted(9_000_000_000_000_000L, number));
  }

  private static List<Demand> demand(String name, Scope scope, long opsPerSec, long burstMillis) {
    Bucket bucket = new Bucket(name, scope, opsPerSec * 1000, burstMillis);
    return List.of(Demand.of(bucket));
  }
}
