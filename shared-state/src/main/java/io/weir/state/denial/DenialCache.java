package io.weir.state.denial;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.Returns;
import io.weir.state.denial.AskBudget.Pace;
import io.weir.state.wire.Owner;
import io.weir.state.wire.PendingCharge;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recent denials by Redis. If a plan makes no places, a full bucket stays full until it has drained: a caller that asks
 * earlier is denied here, without a round trip, and gets the rest of the same wait.
 *
 * <p>It also limits how often one subject asks Redis while it is denied. Beyond an eighth more than the rate of its
 * buckets, at least 250 a second, and a crowd at once, its newcomers get estimates from the last denial; beyond twice
 * that, the holders of tickets get a retry time a moment later. So a flooding subject costs the shared state no more
 * than its limit entitles it to, however it varies its requests. Only such a subject may be denied here when Redis
 * would allow.
 *
 * <p>Otherwise no charge is denied here that Redis would allow: a known level is drained from the moment before Redis
 * was asked, slightly faster than its rate, and denies only the same operation by the same revision. Waits are computed
 * as drained from the moment after the answer, so that no caller comes too early. Other causes of an empty bucket (a
 * key deleted by hand, a Redis that was flushed) are noticed within {@link #MAX_AGE_NANOS}.
 *
 * <p>Charges of several kinds, and buckets that keys share, have their own caches: {@link MixedDenials},
 * {@link SharedDenials}.
 *
 * <p>Bounded; safe for use by many threads.
 */
public final class DenialCache {
  public static final long MAX_AGE_NANOS = 1_000_000_000;
  static final int MAX_KNOWN = 50_000;
  // Clocks of two machines differ by less than one part in a thousand.
  private static final int DRIFT = 1000;
  private static final int TICKETS_TO_OTHERS = 2;

  private final Map<SubjectOperation, BucketsDenial> denials = new ConcurrentHashMap<>();
  private final Map<SubjectOperation, LastDenial> last = new ConcurrentHashMap<>();
  private final Map<SubjectOperation, AskBudget> newcomers = new ConcurrentHashMap<>();
  private final Map<Owner, AskBudget> tickets = new ConcurrentHashMap<>();
  private final SharedDenials shared;
  private final MixedDenials mixed;
  private final LongSupplier nanoTime;
  private final BooleanSupplier isPolicyChanging;

  /**
   * @param nanoTime a monotonic clock, in nanoseconds
   * @param isPolicyChanging whether Redis may have a newer policy at any moment: then this cache does not answer
   * @param returns the latest returns of permits and reservations by this node
   */
  public DenialCache(LongSupplier nanoTime, BooleanSupplier isPolicyChanging, Returns returns) {
    this.nanoTime = nanoTime;
    this.isPolicyChanging = isPolicyChanging;
    this.shared = new SharedDenials(nanoTime);
    this.mixed = new MixedDenials(nanoTime, returns);
  }

  /** Whether a denial of this charge is the same for all callers, and worth remembering. */
  public static boolean concern(Charge charge) {
    return charge.slots() == SlotMode.OFF && charge.ticket().shown().isEmpty();
  }

  public long now() {
    return nanoTime.getAsLong();
  }

  /** Remembers the units that Redis found used when it denied a charge that was asked at that time. */
  public void learn(Charge charge, long[] used, long askedNanos) {
    long wait = BucketsDenial.waitMicros(charge, used);
    SubjectOperation operation = SubjectOperation.of(charge);
    makeRoom(denials, operation);
    denials.put(
        operation,
        new BucketsDenial(
            charge.revision(),
            charge.demands(),
            charge.cost(),
            wait,
            used,
            new RoundTrip(askedNanos, now())));
    shared.learn(charge, used, askedNanos, wait);
  }

  /** Remembers a denial of a charge of several kinds. */
  public void learnMixed(PendingCharge denied, MixedAnswer answer, MixedDenial.Terms terms) {
    if (denied.clockMicros() < 0) {
      mixed.learn(denied, answer, terms);
    }
  }

  /**
   * Remembers the decision of the rates of a charge of several kinds. A place for one caller says nothing about others.
   *
   * @param used of all buckets that it demands from
   */
  public void learnMixed(
      PendingCharge asked, MixedAnswer answer, long[] used, RatesAnswer ofRates) {
    Charge charge = asked.charge();
    if (ofRates.answer().decision() instanceof Allowed) {
      mixed.admitted(charge);
      return;
    }
    if (!(ofRates.answer().decision() instanceof Denied)
        || charge.ticket().shown().isPresent()) {
      return;
    }
    boolean isOff = charge.slots() == SlotMode.OFF;
    learnMixed(
        asked,
        answer,
        isOff
            ? answer.termsOfRates(ofRates.waitMicros())
            : answer.termsOfTurns(
                ofRates.waitMicros(), LastDenial.stepMicros(ofRates.charge(), ofRates.used())));
    if (asked.clockMicros() < 0 && answer.isOfPlainRates()) {
      shared.learn(charge, used, asked.askedNanos(), ofRates.waitMicros());
    }
  }

  /** Remembers a denial of rates under a plan with slots. */
  public void learnLast(PendingCharge denied, long[] used, long waitMicros) {
    Charge charge = denied.charge();
    if (denied.clockMicros() >= 0 || charge.ticket().shown().isPresent()) {
      return;
    }
    shared.learn(charge, used, denied.askedNanos(), waitMicros);
    SubjectOperation operation = SubjectOperation.of(charge);
    makeRoom(last, operation);
    last.put(operation, new LastDenial(charge, used, waitMicros, now()));
  }

  /** The answer, if it is known; null if Redis has to be asked. */
  @Nullable
  public StoreAnswer answer(Charge charge) {
    if (isPolicyChanging.getAsBoolean()) {
      return null;
    }
    if (charge.ticket().shown().isPresent()) {
      StoreAnswer full = charge.isMixed() ? mixed.answer(charge) : null;
      return full == null ? answerTicket(charge) : full;
    }
    StoreAnswer own =
        charge.isMixed() ? mixed.answer(charge) : answerOfOwn(charge, AskBudget::mayAsk);
    return own == null ? shared.answer(charge) : own;
  }

  /**
   * The denial by a subject's rates that {@link #answer} would give to a newcomer's charge and to every larger one, if it
   * is known; counts no call.
   */
  public Optional<Decision> foreseen(Charge charge) {
    boolean isKnown = !isPolicyChanging.getAsBoolean()
        && !charge.isMixed()
        && charge.ticket().shown().isEmpty();
    return isKnown && answerOfOwn(charge, AskBudget::mightAsk) instanceof Decided known
        ? Optional.of(known.decision())
        : Optional.empty();
  }

  /** Whether Redis may be asked. */
  private interface Asking {
    boolean mayAsk(AskBudget budget, long nowNanos, Pace pace);
  }

  private @Nullable StoreAnswer answerOfOwn(Charge charge, Asking asking) {
    if (denials.isEmpty() && last.isEmpty()) {
      return null;
    }
    SubjectOperation operation = SubjectOperation.of(charge);
    return concern(charge)
        ? answerFromDenial(operation, charge, asking)
        : answerBeyondBound(operation, charge, asking);
  }

  // Only Redis knows whether a ticket is valid. Beyond the limit its holder keeps it, and gets a
  // retry time a moment later.
  private @Nullable StoreAnswer answerTicket(Charge charge) {
    if (budget(tickets, Owner.of(charge), AskBudget.CROWD)
        .mayAsk(now(), Pace.of(charge).times(TICKETS_TO_OTHERS))) {
      return null;
    }
    long[] full = charge.demands().stream()
        .mapToLong(demand -> demand.bucket().capacityUnits())
        .toArray();
    Wait given = new Wait(
        NANOSECONDS.toMicros(AskBudget.PAUSE_NANOS), true, charge.ticket().shown());
    return new Decided(charge.verdict().decision(Outcome.DENIED, full, given), QueueReport.NONE);
  }

  private @Nullable StoreAnswer answerBeyondBound(
      SubjectOperation operation, Charge charge, Asking asking) {
    LastDenial denial = last.get(operation);
    long now = now();
    if (denial == null || !denial.isOf(charge)) {
      return null;
    }
    if (denial.isOver(now)) {
      last.remove(operation, denial);
      return null;
    }
    AskBudget budget = budget(newcomers, operation, AskBudget.CROWD);
    return asking.mayAsk(budget, now, Pace.of(charge)) ? null : denial.deny(charge, now);
  }

  private static <K> AskBudget budget(Map<K, AskBudget> budgets, K whose, int atOnce) {
    makeRoom(budgets, whose);
    return budgets.computeIfAbsent(whose, name -> new AskBudget(atOnce));
  }

  /** Clears the map if it is full and has no entry of this key. */
  static <K, V> void makeRoom(Map<K, V> all, K one) {
    if (all.size() >= MAX_KNOWN && !all.containsKey(one)) {
      all.clear();
    }
  }

  private @Nullable StoreAnswer answerFromDenial(
      SubjectOperation operation, Charge charge, Asking asking) {
    BucketsDenial known = denials.get(operation);
    if (known == null || known.revision() != charge.revision()) {
      return null;
    }
    long now = now();
    if (known.trip().isOver(now)) {
      denials.remove(operation, known);
      return null;
    }
    if (!known.canHold(charge)) {
      return null;
    }
    long wait = known.waitMicros(charge);
    long atMost = known.trip().mostMicros(now);
    if (wait > atMost + atMost / DRIFT + 1) {
      long atLeast = known.trip().leastMicros(now);
      return known.answer(charge, wait, atLeast - atLeast / DRIFT);
    }
    AskBudget budget = budget(newcomers, operation, AskBudget.FEW);
    return asking.mayAsk(budget, now, Pace.of(charge))
        ? null
        : known.answer(charge, Math.max(wait, NANOSECONDS.toMicros(AskBudget.PAUSE_NANOS)), 0);
  }
}
