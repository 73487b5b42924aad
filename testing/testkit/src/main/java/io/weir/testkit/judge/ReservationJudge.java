package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.RESERVATIONS;
import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.heldIn;
import static io.weir.testkit.judge.ChargeLimits.id;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Demand;
import io.weir.core.kind.Quota;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Judges the ends of holds: the first end of a reservation changes what it took, at its price, and no other does.
 * Mutable; owned by one judge.
 */
final class ReservationJudge {
  private final ManualClock clock;
  private final RateJudge rates;
  private final QuotaJudge quotas;
  private final PermitJudge permits;
  private final Map<String, Open> open = new HashMap<>();
  private final Set<String> known = new HashSet<>();

  ReservationJudge(ManualClock clock, RateJudge rates, QuotaJudge quotas, PermitJudge permits) {
    this.clock = clock;
    this.rates = rates;
    this.quotas = quotas;
    this.permits = permits;
  }

  /** A reservation that has not ended, and the ends of the periods in which its quotas counted it. */
  private record Open(Payment payment, Map<String, Long> periodEnds) {
    Charge charge() {
      return payment.charge();
    }
  }

  /** All state was lost. */
  void forget() {
    open.clear();
    known.clear();
  }

  /** A reservation was admitted, in periods of quotas with these ends. */
  void began(Payment payment, Map<String, Long> periodEnds) {
    Charge charge = payment.charge();
    long lease = charge.extras().hold().orElseThrow().leaseMicros();
    permits.held(RESERVATIONS, id(charge), lease, Long.MAX_VALUE);
    open.put(id(charge), new Open(payment, periodEnds));
    known.add(id(charge));
  }

  /** Whether a reservation may exist that has the id of a charge. */
  boolean mayBeOpen(Charge charge) {
    return open.containsKey(id(charge));
  }

  /** Whether a reservation may be over that has the id of a charge. */
  boolean mayBeOver(Charge charge) {
    boolean isOpen = mayBeOpen(charge) && permits.isHeld(RESERVATIONS, id(charge));
    return known.contains(id(charge)) && !isOpen;
  }

  /** A store answered whether a hold was renewed. */
  void renewed(Charge charge, boolean isRenewed) {
    long lease = charge.extras().hold().orElseThrow().leaseMicros();
    List<String> limits = heldIn(charge);
    boolean isHeld = limits.stream().allMatch(limit -> permits.isHeld(limit, id(charge)));
    boolean mayBeHeld = limits.stream().allMatch(limit -> permits.mayBeHeld(limit, id(charge)));
    require(isRenewed || !isHeld, id(charge), "is held, but was not renewed");
    require(!isRenewed || mayBeHeld, id(charge), "is not held, but was renewed");
    limits.forEach(limit -> permits.renewed(limit, id(charge), lease, isRenewed));
  }

  /** A store answered the end of a hold; returns whether it left a debt. */
  boolean ended(Charge charge, Ending ending, Ended ended) {
    heldIn(charge).forEach(limit -> permits.freed(limit, id(charge)));
    Open was = open.remove(id(charge));
    if (was == null) {
      require(
          ended.isRepeated()
              || ended.status() == Ended.Status.UNKNOWN_HOLD
              || ended.status() == Ended.Status.RELEASED,
          id(charge),
          "ended twice:",
          ended);
      return false;
    }
    boolean isCancelled = ending instanceof Ending.Cancelled;
    long cost = ending instanceof Ending.Settled settled
        ? settled.cost() == Ending.AS_RESERVED ? was.payment().operations() : settled.cost()
        : 0;
    require(!ended.isRepeated() && ended.cost() == cost, id(charge), "ended at", cost, ":", ended);
    settle(was, cost, isCancelled);
    return cost > was.payment().operations();
  }

  /** A store ended so many reservations whose lease was over. */
  void expired(int count) {
    List<Open> over = open.values().stream()
        .filter(was -> !permits.mayBeHeld(RESERVATIONS, id(was.charge())))
        .toList();
    require(count == over.size(), count, "reservations expired, not", over.size());
    for (Open was : over) {
      heldIn(was.charge()).forEach(limit -> permits.freed(limit, id(was.charge())));
      open.remove(id(was.charge()));
      if (was.charge().extras().hold().orElseThrow().refundsOnExpiry()) {
        settle(was, 0, true);
      }
    }
  }

  private void settle(Open was, long cost, boolean isAll) {
    Payment payment = was.payment();
    Charge charge = payment.charge();
    for (Demand demand : payment.demands()) {
      BigInteger after = isAll ? BigInteger.ZERO : payment.units(demand, cost);
      rates.settled(shape(charge, demand), id(charge), payment.units(demand), after);
    }
    for (Quota quota : payment.quotas()) {
      long counted = payment.counted(quota);
      long more = isAll
          ? -counted
          : quota.countsRequests() ? 0 : Prices.at(payment.price(), cost) - counted;
      QuotaJudge.Shape shape = shape(charge, quota, clock.getAsLong());
      if (more > 0) {
        quotas.owed(shape, big(more));
      } else if (more < 0) {
        quotas.givenBack(shape.name(), was.periodEnds().getOrDefault(shape.name(), 0L), big(-more));
      }
    }
  }
}
