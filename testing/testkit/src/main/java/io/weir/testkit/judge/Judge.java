package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.id;
import static io.weir.testkit.judge.ChargeLimits.kinds;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.kind.Congestion;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ended;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.testkit.ManualClock;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Judges the answers of a store by the definitions of its limits; fails with an {@link AssertionError} if one breaks a
 * promise. It knows charges, answers and the time, nothing of how a store decides. For charges with one congestion at
 * most. Mutable; owned by one test.
 */
final class Judge {
  private final ManualClock clock;
  private final RateJudge rates;
  private final Prices prices;
  private final QuotaJudge quotas;
  private final PermitJudge permits;
  private final TicketJudge tickets;
  private final ReservationJudge reservations;
  private final Room room;
  private final JointJudge joint;
  private final CorrectionJudge corrections;
  private long parts;

  Judge(ManualClock clock) {
    this.clock = clock;
    this.rates = new RateJudge(clock);
    this.prices = new Prices(rates);
    this.quotas = new QuotaJudge(clock);
    this.permits = new PermitJudge(clock);
    this.tickets = new TicketJudge(clock);
    this.reservations = new ReservationJudge(clock, rates, quotas, permits);
    this.room = new Room(clock, rates, quotas, permits);
    this.joint = new JointJudge(this, rates, prices, room);
    this.corrections = new CorrectionJudge(clock, rates, quotas);
  }

  /** All state was lost: every limit is unused. */
  void forget() {
    rates.forget();
    quotas.forget();
    permits.forget();
    tickets.forget();
    reservations.forget();
  }

  /** Places end: the policy has changed. */
  void endPlaces() {
    tickets.forget();
  }

  /** The clock is to be set back. Places that are over stay so; if it is far, all end. */
  void setBack(long micros) {
    quotas.setBack();
    tickets.forgetOver();
    if (micros > SlotRules.KEPT_WHEN_SET_BACK) {
      endPlaces();
    }
  }

  /** How many tickets were shown in time. */
  long ticketsInTime() {
    return tickets.inTime();
  }

  /** How many charges were granted a part. */
  long parts() {
    return parts;
  }

  /** A store answered a charge. */
  void answered(Charge charge, Decided answer) {
    Decision decision = answer.decision();
    if (answer.isRepeated()) {
      require(reservations.mayBeOpen(charge), id(charge), "is not reserved, but is repeated");
    } else if (decision instanceof NeverAllowed never) {
      require(isNever(charge, never), "never allowed:", never);
    } else if (decision instanceof Allowed allowed) {
      Payment payment = payment(charge, allowed);
      returned(charge, true);
      if (answer.report().returned() == Returned.KEPT) {
        charge
            .ticket()
            .shown()
            .filter(Judge::isNumbered)
            .ifPresent(ticket -> tickets.claimed(name(charge, ticket)));
      }
      admitted(payment);
    } else if (decision instanceof Denied denied) {
      prices.shown(charge, denied.remarks().multiplierMillis());
      denied(charge, denied, answer.report().made());
    }
    for (Limit limit : decision.limits()) {
      charge.demands().stream()
          .filter(demand -> demand.bucket().name().equals(limit.bucket()))
          .forEach(demand -> rates.shown(shape(charge, demand), big(limit.usedUnits())));
    }
  }

  /** The payment of an admitted charge: at the price of the level, and for the most that it may get. */
  Payment payment(Charge charge, Allowed allowed) {
    prices.shown(charge, allowed.remarks().multiplierMillis());
    requireMost(charge, allowed);
    return Payment.of(charge, allowed.remarks());
  }

  // A part that is granted is the most that has room, while nobody waits.
  private void requireMost(Charge charge, Allowed allowed) {
    if (!charge.isPartial()) {
      return;
    }
    long granted = allowed.remarks().granted().orElse(0);
    parts += granted < charge.cost() ? 1 : 0;
    require(
        granted >= charge.amount().operations().least() && granted <= charge.cost(),
        "granted",
        granted);
    boolean isFirst = charge.ticket().shown().isEmpty()
        && charge.demands().stream().allMatch(demand -> rates.isCalm(shape(charge, demand)));
    require(
        granted == charge.cost()
            || !isFirst
            || !room.isFree(charge, granted + 1, allowed.remarks().multiplierMillis()),
        "granted",
        granted,
        "although more has room:",
        allowed);
  }

  private boolean isNever(Charge charge, NeverAllowed never) {
    return switch (never.reason()) {
      case RESERVATION_ENDED -> reservations.mayBeOver(charge);
      case RESERVATION_ID_REUSED -> reservations.mayBeOpen(charge);
      default -> Room.isExceeded(charge);
    };
  }

  // A ticket is for one key; charges that are decided as one show the same.
  private static String name(Charge charge, String ticket) {
    return ChargeLimits.name(charge, Scope.KEY, ticket);
  }

  private void returned(Charge charge, boolean isAdmitted) {
    charge.ticket().shown().ifPresent(ticket -> tickets.returned(name(charge, ticket), isAdmitted));
  }

  private void admitted(Payment payment) {
    Charge charge = payment.charge();
    Optional<Hold> hold = charge.extras().hold();
    for (Demand demand : payment.demands()) {
      BigInteger units = payment.units(demand);
      hold.filter(Hold::reserves)
          .ifPresentOrElse(
              reserved -> rates.reserved(
                  shape(charge, demand), id(charge), units, now() + reserved.leaseMicros()),
              () -> rates.admitted(shape(charge, demand), units));
    }
    Map<String, Long> periodEnds = new HashMap<>();
    for (Quota quota : payment.quotas()) {
      QuotaJudge.Shape shape = shape(charge, quota, now());
      quotas.admitted(shape, big(payment.counted(quota)));
      periodEnds.put(shape.name(), shape.window().end());
    }
    hold.ifPresent(held -> held(payment, held, periodEnds));
  }

  private void held(Payment payment, Hold hold, Map<String, Long> periodEnds) {
    Charge charge = payment.charge();
    for (Permits permit : kinds(charge, Permits.class)) {
      permits.held(
          ChargeLimits.name(charge, permit), id(charge), hold.leaseMicros(), permit.limit());
    }
    if (hold.reserves()) {
      reservations.began(payment, periodEnds);
    }
  }

  private void denied(Charge charge, Denied denied, boolean isNewPlace) {
    requireDenied(charge, denied);
    if (isByOthers(charge, denied)) {
      return;
    }
    long slot = now() + denied.retryAfterMicros();
    for (Demand demand : charge.demands()) {
      rates.awaited(
          shape(charge, demand),
          slot + SlotRules.rememberedMicros(demand, charge.cost()),
          SlotRules.lingersMicros(demand.bucket()),
          SlotRules.calmMicros(demand, charge.cost()));
    }
    denied
        .ticket()
        .filter(ticket -> isNewPlace && isHeldByAll(charge, ticket) && !isPriced(charge))
        .ifPresent(ticket ->
            tickets.promised(name(charge, ticket), slot, slot + SlotRules.keptMicros(charge)));
  }

  /** A denial is right: a limit has no room, and its caller did not return in time. */
  void requireDenied(Charge charge, Denied denied) {
    require(
        !room.isFree(charge, charge.atLeast().cost(), denied.remarks().multiplierMillis()),
        "denied although every limit has room:",
        denied);
    if (!isByOthers(charge, denied)) {
      returned(charge, false);
    }
  }

  // Quotas and permits make no places: where one of them has no room, a caller keeps its ticket.
  private static boolean isByOthers(Charge charge, Denied denied) {
    return charge.extras().demands().stream().anyMatch(kind -> denied.full().contains(kind.name()));
  }

  // The second field of a ticket is 0 if it only shows that its holder waits: it has no place, and
  // works for one that is kept for callers without tickets.
  private static boolean isNumbered(String ticket) {
    return !ticket.split("\\.", -1)[1].equals("0");
  }

  // The third field of a ticket is odd if shared buckets hold its place, too.
  private static boolean isHeldByAll(Charge charge, String ticket) {
    return Long.parseLong(ticket.split("\\.", -1)[2]) % 2 == 1
        || charge.demands().stream().allMatch(demand -> demand.bucket().scope() == Scope.KEY);
  }

  // A ticket is for a cost, which is another one as soon as its price is.
  private static boolean isPriced(Charge charge) {
    return !kinds(charge, Congestion.class).isEmpty();
  }

  /** A store answered charges that are decided as one, for each in order. */
  void answered(JointCharge charges, List<Decided> answers) {
    joint.answered(charges, answers);
  }

  /** A store gave back a charge without a reservation, see {@link CorrectionJudge#refunded}. */
  void refunded(Charge charge, List<Long> given) {
    corrections.refunded(charge, given);
  }

  /** A store took a charge, beyond its limits if need be. */
  void owed(Charge charge) {
    corrections.owed(charge);
    endPlaces(); // a debt may break them
  }

  /** A store answered whether a hold was renewed. */
  void renewed(Charge charge, boolean isRenewed) {
    reservations.renewed(charge, isRenewed);
  }

  /** A store answered the end of a hold; only the first end of a reservation changes anything. */
  void ended(Charge charge, Ending ending, Ended ended) {
    if (reservations.ended(charge, ending, ended)) {
      endPlaces(); // a debt may break them
    }
  }

  /** A store ended so many reservations whose lease was over. */
  void expired(int count) {
    reservations.expired(count);
  }

  private long now() {
    return clock.getAsLong();
  }
}
