package io.weir.state.denial;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.KindVerdict;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.kind.Kind;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Quota;
import io.weir.core.kind.Standing;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.Returns;
import io.weir.state.denial.MixedDenial.Terms;
import io.weir.state.wire.Answers;
import io.weir.state.wire.RedisKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The part of a script's answer to a charge of several kinds that is not about rates. Immutable. */
public final class MixedAnswer {
  private static final int STANDING_NUMBERS = 4;
  private static final int LAST_NUMBERS = 3;

  private final Charge charge;
  private final long[] used;
  private final KindVerdict kinds;
  private final List<Integer> payers;
  /** The cost that was decided on, without its price. */
  private final long granted;

  private MixedAnswer(
      Charge charge, long[] used, KindVerdict kinds, List<Integer> payers, long granted) {
    this.charge = charge.granted(granted);
    this.granted = granted;
    this.used = used;
    this.kinds = kinds;
    this.payers = payers;
  }

  /** Reads the numbers after the units used of all buckets. */
  public static MixedAnswer read(Charge charge, long[] used, Answers answers) {
    List<KindDemand> demands = charge.extras().demands();
    List<Standing> standings = new ArrayList<>();
    for (int i = 0; i < demands.size(); i++) {
      long wait = answers.next();
      long usedOf = answers.next();
      long reset = answers.next();
      long flags = answers.next();
      standings.add(new Standing(wait, usedOf, reset, flags % 2 == 1, flags < 2));
    }
    List<Integer> payers = payers(charge.demands(), answers.next());
    List<String> paidBy = payers.stream()
        .map(charge.demands()::get)
        .filter(Demand::overflow)
        .map(demand -> demand.bucket().name())
        .toList();
    KindVerdict kinds = new KindVerdict(demands, standings, answers.next(), paidBy);
    return new MixedAnswer(charge, used, kinds, payers, answers.next());
  }

  // A bit for each pair, from the lowest on: whether the second of it paid.
  private static List<Integer> payers(List<Demand> demands, long bits) {
    List<Integer> payers = new ArrayList<>();
    long left = bits;
    for (int i = 0; i < demands.size(); i++) {
      boolean hasOverflow = Demand.hasOverflow(demands, i);
      if (!demands.get(i).overflow()) {
        payers.add(hasOverflow && left % 2 == 1 ? i + 1 : i);
        left = hasOverflow ? left / 2 : left;
      }
    }
    return payers;
  }

  /** The cost that was decided on: all of it, unless the charge accepts less. */
  public long granted() {
    return granted;
  }

  /** How many numbers it has. */
  public int numbers() {
    return STANDING_NUMBERS * charge.extras().demands().size() + LAST_NUMBERS;
  }

  public boolean isFull() {
    return kinds.isFull();
  }

  public long[] usedOfPayers() {
    return payers.stream().mapToLong(payer -> used[payer]).toArray();
  }

  /** The same charge for its paying buckets alone. */
  public Charge asRates(Charge asked) {
    List<Demand> asRates = payers.stream().map(asked.demands()::get).toList();
    return asRates.isEmpty() ? asked : asked.with(Amount.ofRates(asRates, kinds.cost()));
  }

  /** The denial if a limit other than a rate is full. */
  public Decided denied(long waitMicros, long estimate) {
    Verdict verdict = new Verdict(
        charge.revision(), payers.stream().map(charge.demands()::get).toList(), kinds.cost());
    Decision ofRates = verdict.decision(
        Outcome.DENIED, usedOfPayers(), new Wait(waitMicros, estimate == 1, Optional.empty()));
    return new Decided(
        kinds.denied(ofRates, waitMicros, charge.ticket().shown()), QueueReport.NONE);
  }

  /** The same denial for another caller, after {@code elapsedMicros}. */
  StoreAnswer deniedLater(Charge asked, long waitMicros, long elapsedMicros) {
    KindVerdict later = kinds.later(elapsedMicros);
    Verdict verdict = new Verdict(
        charge.revision(), payers.stream().map(charge.demands()::get).toList(), kinds.cost());
    Wait wait = new Wait(waitMicros, true, asked.ticket().shown());
    Decision ofRates = verdict.decision(Outcome.DENIED, usedOfPayers(), wait);
    return new Decided(
        isFull() ? later.denied(ofRates, waitMicros, wait.ticket()) : later.with(ofRates),
        QueueReport.NONE);
  }

  /** How a node may answer from it, if a limit other than a rate is full. */
  public Terms termsOfKinds(long waitMicros) {
    long certain = 0;
    long ofPermits = 0;
    boolean isExactCost = false;
    boolean isPaced = false;
    List<Integer> slots = new ArrayList<>(slotsOfSubject());
    for (int i = 0; i < kinds.demands().size(); i++) {
      KindDemand demand = kinds.demands().get(i);
      Standing standing = kinds.standings().get(i);
      if (standing.hasRoom()) {
        continue;
      }
      if (demand.kind() == Kind.PERMIT) {
        isPaced = true;
        ofPermits = Math.max(ofPermits, standing.waitMicros());
        slots.add(Returns.slot(
            RedisKeys.state(demand.scope(), charge.tenant(), charge.subject()), demand.name()));
      } else {
        isExactCost |= !(demand instanceof Quota quota) || quota.window().slides();
        certain = Math.max(certain, isPriced() ? 0 : standing.waitMicros());
      }
    }
    isPaced |= isExactCost || isPriced();
    long step = ofPermits >= waitMicros ? ofPermits : 0;
    return new Terms(
        waitMicros,
        new MixedDenial.Steps(step, 0),
        certain,
        isPaced,
        isExactCost,
        List.copyOf(slots));
  }

  /** The same if rates are full. */
  Terms termsOfRates(long waitMicros) {
    boolean isCertain =
        !isPriced() && charge.demands().stream().noneMatch(demand -> demand.overflow());
    return new Terms(
        waitMicros,
        new MixedDenial.Steps(0, 0),
        isCertain ? waitMicros : 0,
        !isCertain,
        true,
        slotsOfSubject());
  }

  /** The same if each caller gets its own turn: only callers beyond the bound get one here. */
  Terms termsOfTurns(long waitMicros, long stepMicros) {
    return new Terms(
        waitMicros,
        new MixedDenial.Steps(stepMicros, LastDenial.TURNS),
        0,
        false,
        true,
        slotsOfSubject());
  }

  /** Whether all units used are those of the paying buckets, in their order. */
  boolean isOfPlainRates() {
    return charge.demands().stream().noneMatch(demand -> demand.overflow());
  }

  private boolean isPriced() {
    return kinds.cost() != charge.cost();
  }

  private List<Integer> slotsOfSubject() {
    return List.of(Returns.slot(RedisKeys.key(charge.tenant(), charge.subject()), ""));
  }

  /** The answer if the rates have decided. */
  public Decided with(Decided ofRates) {
    Decision decision = ofRates.decision();
    return new Decided(
        decision instanceof NeverAllowed never ? kinds.never(never) : kinds.with(decision),
        ofRates.report());
  }

  /**
   * The answer if the reservation already exists.
   *
   * @param cost of the reservation
   */
  public static StoreAnswer again(Charge charge, long[] used, long cost) {
    Decision decision = charge.verdict().decision(Outcome.ALLOWED, used, Wait.NONE);
    return granted(charge, new Decided(decision, QueueReport.NONE, true), cost);
  }

  /** The same answer with what was granted, if the charge accepts less than its cost. */
  public static Decided granted(Charge charge, Decided answer, long operations) {
    return charge.isPartial() && answer.decision() instanceof Allowed allowed
        ? new Decided(allowed.withGranted(operations), answer.report(), answer.isRepeated())
        : answer;
  }

  /** The answer if the reservation has ended, or its id belongs to another one. */
  public static StoreAnswer refused(Charge charge, Reason reason) {
    return new Decided(
        new NeverAllowed(charge.revision(), List.of(), List.of(), reason), QueueReport.NONE);
  }
}
