package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.RESERVATIONS;
import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.heldIn;
import static io.weir.testkit.judge.ChargeLimits.id;
import static io.weir.testkit.judge.ChargeLimits.kinds;
import static io.weir.testkit.judge.ChargeLimits.name;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.ChargeLimits.units;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Judges the answers of a store by the definitions of its limits; fails with an {@link AssertionError} if one breaks a
 * promise. It knows charges, answers and the time, nothing of how a store decides. For charges without overflow, prices
 * and congestion. Mutable; owned by one test.
 */
final class Judge {
  private final ManualClock clock;
  private final RateJudge rates;
  private final QuotaJudge quotas;
  private final PermitJudge permits;
  private final TicketJudge tickets;
  private final Map<String, Open> open = new HashMap<>();

  /** A reservation that has not ended, and the ends of the periods in which its quotas counted it. */
  private record Open(Charge charge, Map<String, Long> periodEnds) {}

  Judge(ManualClock clock) {
    this.clock = clock;
    this.rates = new RateJudge(clock);
    this.quotas = new QuotaJudge(clock);
    this.permits = new PermitJudge(clock);
    this.tickets = new TicketJudge(clock);
  }

  /** All state was lost: every limit is unused. */
  void forget() {
    rates.forget();
    quotas.forget();
    permits.forget();
    tickets.forget();
    open.clear();
  }

  /** Places end: the policy has changed. */
  void endPlaces() {
    tickets.forget();
  }

  /** The clock is to be set back. Places that are over stay so; if it is far, all end. */
  void setBack(long micros) {
    tickets.forgetOver();
    if (micros > SlotRules.KEPT_WHEN_SET_BACK) {
      endPlaces();
    }
  }

  /** How many tickets were shown in time. */
  long ticketsInTime() {
    return tickets.inTime();
  }

  /** A store answered a charge. */
  void answered(Charge charge, Decided answer) {
    Decision decision = answer.decision();
    if (decision instanceof Allowed) {
      returned(charge, true);
      if (answer.report().returned() == Returned.KEPT) {
        charge.ticket().shown().ifPresent(tickets::claimed);
      }
      admitted(charge);
    } else if (decision instanceof Denied denied) {
      denied(charge, denied, answer.report().made());
    }
    for (int i = 0; i < charge.demands().size() && i < decision.limits().size(); i++) {
      rates.shown(shape(charge, charge.demands().get(i)), big(decision.usedUnits(i)));
    }
  }

  private void returned(Charge charge, boolean isAdmitted) {
    charge.ticket().shown().ifPresent(ticket -> tickets.returned(ticket, isAdmitted));
  }

  private void admitted(Charge charge) {
    Optional<Hold> hold = charge.extras().hold();
    for (Demand demand : charge.demands()) {
      BigInteger units = units(demand, charge.cost());
      hold.filter(Hold::reserves)
          .ifPresentOrElse(
              reserved -> rates.reserved(
                  shape(charge, demand), id(charge), units, now() + reserved.leaseMicros()),
              () -> rates.admitted(shape(charge, demand), units));
    }
    Map<String, Long> periodEnds = new HashMap<>();
    for (Quota quota : kinds(charge, Quota.class)) {
      QuotaJudge.Shape shape = shape(charge, quota, now());
      quotas.admitted(shape, big(quota.counted(charge.cost())));
      periodEnds.put(shape.name(), shape.window().end());
    }
    hold.ifPresent(held -> held(charge, held, periodEnds));
  }

  private void held(Charge charge, Hold hold, Map<String, Long> periodEnds) {
    for (Permits permit : kinds(charge, Permits.class)) {
      permits.held(name(charge, permit), id(charge), hold.leaseMicros(), permit.limit());
    }
    if (hold.reserves()) {
      permits.held(RESERVATIONS, id(charge), hold.leaseMicros(), Long.MAX_VALUE);
      open.put(id(charge), new Open(charge, periodEnds));
    }
  }

  // Quotas and permits make no places: where one of them has no room, a caller keeps its ticket.
  private void denied(Charge charge, Denied denied, boolean isNewPlace) {
    require(!isFree(charge), "denied although every limit has room:", denied);
    if (charge.extras().demands().stream().anyMatch(kind -> denied.full().contains(kind.name()))) {
      return;
    }
    returned(charge, false);
    long slot = now() + denied.retryAfterMicros();
    for (Demand demand : charge.demands()) {
      rates.awaited(
          shape(charge, demand),
          slot + SlotRules.rememberedMicros(demand, charge.cost()),
          SlotRules.lingersMicros(demand.bucket()));
    }
    denied
        .ticket()
        .filter(ticket -> isNewPlace && isHeldByAll(charge, ticket))
        .ifPresent(ticket -> tickets.promised(ticket, slot, slot + SlotRules.keptMicros(charge)));
  }

  // The third field of a ticket is odd if shared buckets hold its place, too.
  private static boolean isHeldByAll(Charge charge, String ticket) {
    return Long.parseLong(ticket.split("\\.", -1)[2]) % 2 == 1
        || charge.demands().stream().allMatch(demand -> demand.bucket().scope() == Scope.KEY);
  }

  private boolean isFree(Charge charge) {
    boolean isFree = true;
    for (Demand demand : charge.demands()) {
      isFree &= rates.isFree(shape(charge, demand), units(demand, charge.cost()));
    }
    for (Quota quota : kinds(charge, Quota.class)) {
      isFree &= quotas.isFree(shape(charge, quota, now()), big(quota.counted(charge.cost())));
    }
    for (Permits permit : kinds(charge, Permits.class)) {
      isFree &= permits.isFree(name(charge, permit), permit.limit());
    }
    return isFree;
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

  /** A store answered the end of a hold; only the first end of a reservation changes anything. */
  void ended(Charge charge, Ending ending, Ended ended) {
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
      return;
    }
    boolean isCancelled = ending instanceof Ending.Cancelled;
    long cost = ending instanceof Ending.Settled settled
        ? settled.cost() == Ending.AS_RESERVED ? charge.cost() : settled.cost()
        : 0;
    require(!ended.isRepeated() && ended.cost() == cost, id(charge), "ended at", cost, ":", ended);
    settle(was, cost, isCancelled);
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
    Charge charge = was.charge();
    if (cost > charge.cost()) {
      endPlaces(); // a debt may break them
    }
    for (Demand demand : charge.demands()) {
      BigInteger after = isAll ? BigInteger.ZERO : units(demand, cost);
      rates.settled(shape(charge, demand), id(charge), units(demand, charge.cost()), after);
    }
    for (Quota quota : kinds(charge, Quota.class)) {
      long counted = quota.counted(charge.cost());
      long more = isAll ? -counted : quota.countsRequests() ? 0 : cost - counted;
      QuotaJudge.Shape shape = shape(charge, quota, now());
      if (more > 0) {
        quotas.owed(shape, big(more));
      } else if (more < 0) {
        quotas.givenBack(shape.name(), was.periodEnds().getOrDefault(shape.name(), 0L), big(-more));
      }
    }
  }

  private long now() {
    return clock.getAsLong();
  }
}
