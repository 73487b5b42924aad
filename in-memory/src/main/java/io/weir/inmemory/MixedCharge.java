package io.weir.inmemory;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.KindVerdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.inmemory.Memory.Holder;
import io.weir.inmemory.Reservation.OfBucket;
import io.weir.inmemory.Reservation.OfKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A charge of several kinds: all demands are checked first, then everything is taken or nothing. Lives for one charge.
 */
final class MixedCharge {
  // The largest cost that a script accepts.
  private static final long MAX_COST = (1L << 53) - 1;

  private final Charge charge;
  private final Memory memory;
  private final Look look;
  private final boolean isPeek;

  MixedCharge(Charge charge, Memory memory, long nowMicros, boolean isPeek) {
    this.charge = charge;
    this.memory = memory;
    this.look = new Look(charge, memory, nowMicros);
    this.isPeek = isPeek;
  }

  StoreAnswer decide() {
    if (look.newestRevision() > charge.revision()) {
      return new StoreAnswer.Stale(look.newestRevision());
    }
    Optional<Memory.Holding> before = charge
        .extras()
        .hold()
        .filter(Hold::reserves)
        .flatMap(
            hold -> memory.reservation(charge.tenant(), charge.subject(), hold.id(), look.now()));
    return before.map(this::again).orElseGet(this::first);
  }

  // A reservation of this id exists: the same one, another one, or one that has ended.
  private StoreAnswer again(Memory.Holding holding) {
    boolean isOpen =
        holding.ended().isEmpty() && holding.reservation().expiresMicros() > look.now();
    if (!isOpen) {
      return refused(Reason.RESERVATION_ENDED);
    }
    if (charge.extras().hold().map(Hold::asked).filter(holding.asked()::equals).isEmpty()) {
      return refused(Reason.RESERVATION_ID_REUSED);
    }
    long[] used = look.views(charge.demands(), charge.cost()).stream()
        .mapToLong(BucketView::shownUnits)
        .toArray();
    return new Decided(
        charge.verdict().decision(Outcome.ALLOWED, used, Wait.NONE), QueueReport.NONE, true);
  }

  private StoreAnswer refused(Reason reason) {
    return decided(new NeverAllowed(charge.revision(), List.of(), List.of(), reason));
  }

  private StoreAnswer first() {
    List<LimitStanding> standings = standings(asked(charge.cost()));
    long price = price();
    long cost = CongestionModel.priced(charge.cost(), price);
    if (price != Congestion.ONE) {
      standings = standings(asked(cost));
    }
    Payers payers = payers(cost);
    KindVerdict kinds = new KindVerdict(
        charge.extras().demands(),
        standings.stream().map(LimitStanding::standing).toList(),
        cost,
        overflowed(payers.demands()));
    RatesDecision rates = new RatesDecision(look, charge, payers, cost);
    if (isNever(cost) || kinds.isNever()) {
      return decided(kinds.never((NeverAllowed) rates.never().decision()));
    }
    if (kinds.isFull()) {
      keep(standings, false);
      return decided(full(kinds, rates));
    }
    Decided ofRates = payers.demands().isEmpty()
        ? new Decided(new Allowed(charge.revision(), List.of()), QueueReport.NONE)
        : isPeek ? rates.peek() : rates.decide();
    List<LimitStanding> charged = standings;
    boolean isTaken = ofRates.decision() instanceof Allowed;
    keep(charged, isTaken);
    if (isTaken && !isPeek) {
      charge.extras().hold().ifPresent(hold -> hold(hold, payers.demands(), charged, price));
    }
    return new Decided(kinds.with(ofRates.decision()), ofRates.report());
  }

  // The buckets of the ticket's place, if it is for this request.
  private Payers payers(long cost) {
    Optional<Payers> ofTicket = isPeek
        ? Optional.empty()
        : charge
            .ticket()
            .shown()
            .map(text -> Payers.by(charge.demands(), Ticket.parse(text).paid()))
            .filter(payers -> new RatesDecision(look, charge, payers, cost).isForTicket());
    return ofTicket.orElseGet(() -> Payers.of(look.views(charge.demands(), cost)));
  }

  // Rates that are full as well do not shorten the wait.
  private Decision full(KindVerdict kinds, RatesDecision rates) {
    Decided ofRates = rates.alone();
    long wait = ofRates.decision() instanceof Denied denied ? denied.retryAfterMicros() : 0;
    Decision denied = rates
        .verdict()
        .decision(Outcome.DENIED, rates.shown(), new Wait(wait, true, Optional.empty()));
    return kinds.denied(
        denied, Math.max(kinds.waitMicros(), wait), charge.ticket().shown());
  }

  private boolean isNever(long cost) {
    List<Demand> demands = charge.demands();
    for (int i = 0; i < demands.size(); i++) {
      boolean isSaved = Demand.hasOverflow(demands, i) && !isNever(demands.get(i + 1), cost);
      if (!demands.get(i).overflow() && isNever(demands.get(i), cost) && !isSaved) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNever(Demand demand, long cost) {
    return demand.units(cost) > demand.bucket().capacityUnits();
  }

  private List<String> overflowed(List<Demand> payers) {
    return payers.stream()
        .filter(Demand::overflow)
        .map(demand -> demand.bucket().name())
        .toList();
  }

  private List<LimitStanding> standings(ModelRequest asked) {
    List<KindDemand> demands = charge.extras().demands();
    List<LimitStanding> standings = demands.stream()
        .map(demand -> KindModel.of(demand)
            .standing(
                memory.counter(owner(demand.scope()), demand.name(), look.now()),
                asked.withHeld(memory.held(owner(demand.scope()), demand.name(), look.now()))))
        .toList();
    return LimitStanding.charged(demands, standings);
  }

  private long price() {
    long highest = Congestion.ONE;
    for (KindDemand demand : charge.extras().demands()) {
      highest = Math.max(
          highest,
          KindModel.of(demand)
              .priceMillis(
                  memory.counter(owner(demand.scope()), demand.name(), look.now()),
                  asked(charge.cost())));
    }
    return CongestionModel.bounded(highest, charge.cost(), MostAtOnce.of(charge));
  }

  private ModelRequest asked(long cost) {
    return new ModelRequest(look.now(), cost, 0, look::usedOf);
  }

  private void keep(List<LimitStanding> standings, boolean isTaken) {
    if (isPeek) {
      return;
    }
    for (int i = 0; i < standings.size(); i++) {
      KindDemand demand = charge.extras().demands().get(i);
      LimitStanding standing = standings.get(i);
      Object owner = owner(demand.scope());
      long until = memory.counter(owner, demand.name(), look.now()).untilMicros();
      if (isTaken && standing.taken().untilMicros() != until) {
        memory.forgetExpired(owner, demand.name(), look.now());
      }
      Counter after = isTaken ? standing.taken() : standing.denied();
      memory.put(owner, demand.name(), after, look.now());
    }
  }

  private void hold(Hold hold, List<Demand> payers, List<LimitStanding> standings, long price) {
    long until = look.now() + hold.leaseMicros();
    Holder holder = new Holder(charge.tenant(), charge.subject(), hold.id());
    List<OfKind> kinds = new ArrayList<>();
    for (int i = 0; i < standings.size(); i++) {
      KindDemand demand = charge.extras().demands().get(i);
      if (demand instanceof Permits) {
        Object owner = owner(demand.scope());
        memory.hold(owner, demand.name(), holder, until);
      } else if (standings.get(i).standing().isCharged()) {
        kinds.add(new OfKind(demand, KindModel.of(demand).mark(look.now())));
      }
    }
    if (hold.reserves()) {
      long mark = new MarkedBuckets(memory, look.now()).mark(charge, payers, until);
      memory.reserve(
          charge,
          hold,
          new Reservation(
              Math.min(charge.cost(), MAX_COST),
              price,
              until,
              hold.refundsOnExpiry(),
              payers.stream().map(demand -> OfBucket.of(demand, mark)).toList(),
              kinds));
    }
  }

  private Object owner(Scope scope) {
    return Memory.owner(charge, scope);
  }

  private static StoreAnswer decided(Decision decision) {
    return new Decided(decision, QueueReport.NONE);
  }
}
