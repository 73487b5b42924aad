package io.weir.state.lane;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.denial.DenialCache;
import io.weir.state.denial.MixedAnswer;
import io.weir.state.denial.RatesAnswer;
import io.weir.state.wire.Answers;
import io.weir.state.wire.Answers.Kind;
import io.weir.state.wire.Batch;
import io.weir.state.wire.Codes;
import io.weir.state.wire.Entry;
import io.weir.state.wire.Levels;
import io.weir.state.wire.Owner;
import io.weir.state.wire.PendingCharge;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes the charges of a batch with the answers of a script. Remembers denials, and sends to the queue lane the
 * charges that the fast lane handed back; their owners go to that lane directly for a while. Used on one event loop.
 */
final class AnswerReader {
  private static final int PLACE_NUMBERS = 11;
  private static final int WAIT_NUMBERS = 2;

  private final DenialCache denials;
  private final QueuedOwners queued;
  private final HandBack handBack;
  private final HandBack askAgain;

  /** Receives charges that the fast lane does not decide. */
  @FunctionalInterface
  interface HandBack {
    void ask(PendingCharge pending);
  }

  /** @param askAgain receives charges that were asked for another instant */
  AnswerReader(DenialCache denials, QueuedOwners queued, HandBack handBack, HandBack askAgain) {
    this.denials = denials;
    this.queued = queued;
    this.handBack = handBack;
    this.askAgain = askAgain;
  }

  /** Answers all charges of the batch. An error in one callback does not affect the others. */
  void answer(Batch batch, long clock, Answers answers) {
    for (Entry entry : batch.entries()) {
      long asked = entry.first().clockMicros();
      answer(entry, asked < 0 ? clock : asked, answers);
    }
  }

  private void answer(Entry entry, long clock, Answers answers) {
    @Nullable PendingCharge left = entry.first();
    if (answers.kind() != Kind.ARRAY) {
      left = answerLevels(entry, clock, answers);
    }
    while (left != null) {
      left = answerOne(left, clock, answers);
    }
  }

  // Completes the charges that the fast lane admitted or denied; returns the first of the others.
  private @Nullable PendingCharge answerLevels(Entry entry, long clock, Answers answers) {
    int admitted = answers.kind() == Kind.INTEGER ? (int) answers.next() : entry.count();
    Levels after = Levels.read(entry.template(), clock, answers);
    @Nullable PendingCharge pending = entry.first();
    for (int i = admitted - 1; i >= 0 && pending != null; i--) {
      PendingCharge next = pending.next();
      pending.complete(allowed(pending.charge(), after, i));
      pending = next;
    }
    if (admitted < 0) {
      completeAll(pending, never(entry.first().charge(), after));
      return null;
    }
    if (pending != null && entry.template().isOff()) {
      completeAll(pending, denied(entry.first(), after));
      return null;
    }
    return pending;
  }

  // Reads one answer, for one charge or more; returns the first of the remaining charges.
  private @Nullable PendingCharge answerOne(PendingCharge first, long clock, Answers answers) {
    int numbers = (int) answers.next();
    Codes code = Codes.of(answers.next());
    switch (code) {
      case QUEUED -> {
        queued.add(Owner.of(first.charge()), first.askedNanos());
        forAll(first, handBack::ask);
        return null;
      }
      case FAILED -> {
        StoreUnavailableException error =
            new StoreUnavailableException(StoreFault.DATA, text(answers), null);
        forAll(first, pending -> pending.completeExceptionally(error));
        return null;
      }
      case OUTSIDE -> {
        forAll(first, askAgain::ask);
        return null;
      }
      case AGAIN -> {
        long[] used = numbersOf(first.charge(), answers);
        completeAll(first, MixedAnswer.again(first.charge(), used));
        return null;
      }
      case ENDED -> {
        completeAll(first, MixedAnswer.refused(first.charge(), Reason.RESERVATION_ENDED));
        return null;
      }
      case REUSED -> {
        completeAll(first, MixedAnswer.refused(first.charge(), Reason.RESERVATION_ID_REUSED));
        return null;
      }
      case STALE -> {
        completeAll(first, new StoreAnswer.Stale(answers.next()));
        return null;
      }
      case NEVER_ALLOWED -> {
        if (first.charge().isMixed()) {
          completeAll(first, mixed(first, code.outcome(), numbers - 1, clock, answers));
          return null;
        }
        completeAll(
            first, detailed(first, code.outcome(), numbers - 1, clock, answers).answer());
        return null;
      }
      case ALLOWED, DENIED -> {
        if (first.charge().isMixed()) {
          completeAll(first, mixed(first, code.outcome(), numbers - 1, clock, answers));
          return null;
        }
        RatesAnswer detailed = detailed(first, code.outcome(), numbers - 1, clock, answers);
        if (detailed.moments() > 0 && first.clockMicros() < 0) {
          denials.learnBlock(first, detailed.used(), detailed.asMoments());
        }
        return completeSome(first, detailed);
      }
    }
    throw new IllegalStateException("a code without a meaning: " + code);
  }

  private static void completeAll(@Nullable PendingCharge first, StoreAnswer answer) {
    forAll(first, pending -> pending.complete(answer));
  }

  // The next one is read first: a charge that is handed on becomes part of another batch.
  private static void forAll(@Nullable PendingCharge first, Consumer<PendingCharge> end) {
    PendingCharge pending = first;
    while (pending != null) {
      PendingCharge next = pending.cut();
      end.accept(pending);
      pending = next;
    }
  }

  // An estimate has several moments, one for each caller.
  private static @Nullable PendingCharge completeSome(PendingCharge first, RatesAnswer detailed) {
    @Nullable PendingCharge pending = first;
    for (long i = 0; i < Math.max(1, detailed.moments()) && pending != null; i++) {
      PendingCharge next = pending.next();
      pending.complete(i == 0 ? detailed.answer() : detailed.later(i));
      pending = next;
    }
    return pending;
  }

  // The levels are those after `later` more equal charges.
  private static StoreAnswer allowed(Charge charge, Levels after, int later) {
    List<Demand> demands = charge.demands();
    long[] used = new long[demands.size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = after.used(i) - (later == 0 ? 0 : later * demands.get(i).units(charge.cost()));
    }
    return new Decided(
        charge.verdict().decision(Outcome.ALLOWED, used, Wait.NONE), QueueReport.NONE);
  }

  private static StoreAnswer never(Charge charge, Levels levels) {
    long[] used = new long[charge.demands().size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = levels.used(i);
    }
    return new Decided(
        charge.verdict().decision(Outcome.NEVER_ALLOWED, used, Wait.NONE), QueueReport.NONE);
  }

  private StoreAnswer denied(PendingCharge asked, Levels levels) {
    Charge charge = asked.charge();
    List<Demand> demands = charge.demands();
    long[] used = new long[demands.size()];
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Demand demand = demands.get(i);
      used[i] = levels.used(i);
      wait = Math.max(
          wait, LeakyBucket.waitMicros(demand.bucket(), used[i], demand.units(charge.cost())));
    }
    if (asked.clockMicros() < 0 && DenialCache.concern(charge)) {
      denials.learn(charge, used, asked.askedNanos());
    }
    Wait told = new Wait(wait, true, Optional.empty());
    return new Decided(charge.verdict().decision(Outcome.DENIED, used, told), QueueReport.NONE);
  }

  private static long[] numbersOf(Charge charge, Answers answers) {
    long[] used = new long[charge.demands().size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = answers.next();
    }
    return used;
  }

  // The numbers of the other kinds follow the units used.
  private StoreAnswer mixed(
      PendingCharge first, Outcome outcome, int numbers, long clock, Answers answers) {
    Charge charge = first.charge();
    long[] used = numbersOf(charge, answers);
    MixedAnswer mixed = MixedAnswer.read(charge, used, answers);
    int left = numbers - used.length - mixed.numbers();
    if (mixed.isFull() && outcome == Outcome.DENIED) {
      long wait = answers.next();
      denials.learnMixed(first, mixed, mixed.termsOfKinds(wait));
      return mixed.denied(wait, answers.next());
    }
    RatesAnswer ofRates =
        detailed(mixed.asRates(first), mixed.usedOfPayers(), outcome, left, clock, answers);
    denials.learnMixed(first, mixed, used, ofRates);
    return mixed.with(ofRates.answer());
  }

  // Reads an answer after its code; `numbers` remain.
  private RatesAnswer detailed(
      PendingCharge first, Outcome outcome, int numbers, long clock, Answers answers) {
    long[] used = numbersOf(first.charge(), answers);
    return detailed(first, used, outcome, numbers - used.length, clock, answers);
  }

  private RatesAnswer detailed(
      PendingCharge first, long[] used, Outcome outcome, int left, long clock, Answers answers) {
    Charge charge = first.charge();
    long[] place = new long[PLACE_NUMBERS];
    for (int i = 0; i < left; i++) {
      place[i] = answers.next();
    }
    if (left <= WAIT_NUMBERS) {
      queued.remove(Owner.of(charge)); // no request waits
    } else {
      queued.add(Owner.of(charge), first.askedNanos());
    }
    Wait wait = left == 0 ? Wait.NONE : waitOf(charge, place);
    QueueReport report = left < PLACE_NUMBERS
        ? QueueReport.NONE
        : new QueueReport(Returned.of(place[4]), place[5] == 1, place[6], place[7]);
    Verdict verdict = charge.verdict();
    Decided answer = new Decided(verdict.decision(outcome, used, wait), report);
    long moments = place[9];
    return new RatesAnswer(answer, charge, used, place[0], place[8], moments, place[10] - clock);
  }

  private static Wait waitOf(Charge charge, long[] place) {
    Optional<String> ticket = Optional.empty();
    if (place[2] > 0) {
      String id =
          place[3] == 1 ? charge.ticket().newId() : charge.ticket().shownId().orElse("");
      ticket = Optional.of("%016d.%s".formatted(place[2], id));
    }
    return new Wait(place[0], place[1] == 1, ticket);
  }

  private static String text(Answers answers) {
    Answers.Text text = answers.nextText();
    return new String(text.bytes(), text.start(), text.end() - text.start(), US_ASCII);
  }
}
