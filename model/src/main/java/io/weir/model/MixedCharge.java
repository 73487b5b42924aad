package io.weir.model;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.KindVerdict;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotRules;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.model.Reservation.OfBucket;
import io.weir.model.Reservation.OfKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

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
  private final Function<Charge, StoreAnswer> rates;

  /** @param rates decides once all other limits have room: a charge for rates alone */
  MixedCharge(
      Charge charge,
      Memory memory,
      long nowMicros,
      boolean isPeek,
      Function<Charge, StoreAnswer> rates) {
    this.charge = charge;
    this.memory = memory;
    this.look = new Look(charge, memory, nowMicros);
    this.isPeek = isPeek;
    this.rates = rates;
  }

  StoreAnswer decide() {
    if (look.newestRevision() > charge.revision()) {
      return new StoreAnswer.Stale(look.newestRevision());
    }
    var settled = look.settle(look.scopes());
    if (!isPeek) {
      settled.forEach(look::write);
    }
    look.load();
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
    long[] used = look.shown(look.buckets());
    return new Decided(
        charge.verdict().decision(Outcome.ALLOWED, used, Wait.NONE), QueueReport.NONE, true);
  }

  private StoreAnswer refused(Reason reason) {
    return decided(new NeverAllowed(charge.revision(), List.of(), List.of(), reason));
  }

  private StoreAnswer first() {
    List<Stood> standings = standings(asked(charge.cost()));
    long price = price();
    long cost = CongestionModel.priced(charge.cost(), price);
    if (price != Congestion.ONE) {
      standings = standings(asked(cost));
    }
    List<BucketTurn> turns = look.turns(cost);
    List<Demand> payers = Payers.of(charge.demands(), turns, place());
    KindVerdict kinds = new KindVerdict(
        charge.extras().demands(),
        standings.stream().map(Stood::standing).toList(),
        cost,
        overflowed(payers));
    Charge asRates = payers.isEmpty() ? charge : charge.with(Amount.ofRates(payers, cost));
    Verdict verdict = new Verdict(charge.revision(), payers, cost);
    if (isNever(cost) || kinds.isNever()) {
      long[] shown = shown(payers, turns);
      Decision never = verdict.decision(Outcome.NEVER_ALLOWED, shown, Wait.NONE);
      return decided(kinds.never((NeverAllowed) never));
    }
    if (kinds.isFull()) {
      keep(standings, false);
      return decided(full(verdict, kinds, payers, turns));
    }
    StoreAnswer answer = payers.isEmpty()
        ? decided(new Allowed(charge.revision(), List.of()))
        : isPeek ? peeked(verdict, payers, turns) : rates.apply(asRates);
    if (!(answer instanceof Decided ofRates)) {
      return answer;
    }
    List<Stood> charged = standings;
    boolean isTaken = ofRates.decision() instanceof Allowed;
    keep(charged, isTaken);
    if (isTaken && !isPeek) {
      charge.extras().hold().ifPresent(hold -> hold(hold, payers, charged, price));
    }
    return new Decided(kinds.with(ofRates.decision()), ofRates.report());
  }

  private StoreAnswer peeked(Verdict verdict, List<Demand> payers, List<BucketTurn> turns) {
    SlotBooking.Result result = newcomer(paying(payers, turns));
    Wait wait = new Wait(result.waitMicros(), true, Optional.empty());
    return decided(verdict.decision(result.outcome(), shown(payers, turns), wait));
  }

  private SlotBooking.Result newcomer(List<BucketTurn> turns) {
    return new SlotBooking(look.now(), SlotRules.OFF, TicketRequest.NONE, false)
        .newcomer(turns, Returned.NOT);
  }

  // Rates that are full as well do not shorten the wait.
  private Decision full(
      Verdict verdict, KindVerdict kinds, List<Demand> payers, List<BucketTurn> turns) {
    SlotBooking.Result result = newcomer(paying(payers, turns));
    Decision ofRates = verdict.decision(
        Outcome.DENIED,
        shown(payers, turns),
        new Wait(result.waitMicros(), true, Optional.empty()));
    return kinds.denied(
        ofRates,
        Math.max(kinds.waitMicros(), result.waitMicros()),
        charge.ticket().shown());
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

  private static List<BucketTurn> paying(List<Demand> payers, List<BucketTurn> turns) {
    return turns.stream()
        .filter(turn -> payers.stream().anyMatch(payer -> payer.bucket().equals(turn.bucket())))
        .toList();
  }

  private static long[] shown(List<Demand> payers, List<BucketTurn> turns) {
    return paying(payers, turns).stream()
        .mapToLong(turn -> turn.state().shownUnits(turn.bucket()))
        .toArray();
  }

  private Optional<Place> place() {
    return isPeek ? Optional.empty() : charge.ticket().shown().flatMap(look::placeOf);
  }

  private List<Stood> standings(ModelRequest asked) {
    List<KindDemand> demands = charge.extras().demands();
    List<Stood> standings = demands.stream()
        .map(demand -> KindModel.of(demand)
            .standing(
                memory.counter(owner(demand.scope()), demand.name(), look.now()),
                asked.withHeld(memory.held(owner(demand.scope()), demand.name(), look.now()))))
        .toList();
    return Stood.charged(demands, standings);
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

  private void keep(List<Stood> standings, boolean isTaken) {
    if (isPeek) {
      return;
    }
    for (int i = 0; i < standings.size(); i++) {
      KindDemand demand = charge.extras().demands().get(i);
      Stood standing = standings.get(i);
      Object owner = owner(demand.scope());
      long until = memory.counter(owner, demand.name(), look.now()).untilMicros();
      if (isTaken && standing.taken().untilMicros() != until) {
        memory.forgetExpired(owner, demand.name(), look.now());
      }
      Counter after = isTaken ? standing.taken() : standing.denied();
      memory.put(owner, demand.name(), after, look.now());
    }
  }

  private void hold(Hold hold, List<Demand> payers, List<Stood> standings, long price) {
    long until = look.now() + hold.leaseMicros();
    List<OfKind> kinds = new ArrayList<>();
    for (int i = 0; i < standings.size(); i++) {
      KindDemand demand = charge.extras().demands().get(i);
      if (demand instanceof Permits) {
        Object owner = owner(demand.scope());
        memory.hold(owner, demand.name(), hold.id(), look.now() + hold.leaseMicros());
      } else if (standings.get(i).standing().isCharged()) {
        kinds.add(new OfKind(demand, KindModel.of(demand).mark(look.now())));
      }
    }
    if (hold.reserves()) {
      memory.reserve(
          charge,
          hold,
          new Reservation(
              Math.min(charge.cost(), MAX_COST),
              price,
              until,
              hold.refundsOnExpiry(),
              payers.stream().map(OfBucket::of).toList(),
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
