package io.weir.state.lane;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.core.decision.Decision.Reason;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.slot.QueueReport;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.denial.DenialCache;
import io.weir.state.denial.MixedAnswer;
import io.weir.state.denial.RatesAnswer;
import io.weir.state.wire.Answers;
import io.weir.state.wire.Batch;
import io.weir.state.wire.Codes;
import io.weir.state.wire.EqualCharges;
import io.weir.state.wire.Levels;
import io.weir.state.wire.Owner;
import io.weir.state.wire.PendingCharge;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes the charges of a batch with the answers of a script. Remembers denials, and the owners that wait. Used on
 * one event loop.
 */
final class AnswerReader {
  private final DenialCache denials;
  private final QueuedOwners queued;
  private final Consumer<PendingCharge> askAgain;

  /** @param askAgain receives charges that were asked for another instant */
  AnswerReader(DenialCache denials, QueuedOwners queued, Consumer<PendingCharge> askAgain) {
    this.denials = denials;
    this.queued = queued;
    this.askAgain = askAgain;
  }

  /**
   * Answers all charges of the batch. An error in one callback does not affect the others.
   *
   * @param later receives those that are undecided, in their order, because the call had done enough
   */
  void answer(Batch batch, long clock, Answers answers, Consumer<PendingCharge> later) {
    for (EqualCharges entry : batch.entries()) {
      long asked = entry.first().clockMicros();
      answer(entry, asked < 0 ? clock : asked, answers, later);
    }
  }

  private void answer(
      EqualCharges entry, long clock, Answers answers, Consumer<PendingCharge> later) {
    @Nullable PendingCharge left = entry.first();
    if (answers.kind() != Answers.Type.ARRAY) {
      left = answerLevels(entry, clock, answers);
    }
    while (left != null) {
      left = answerOne(left, answers, later);
    }
  }

  // Completes the charges that were decided by levels; returns the first of the others.
  private @Nullable PendingCharge answerLevels(EqualCharges entry, long clock, Answers answers) {
    int admitted = answers.kind() == Answers.Type.INTEGER ? (int) answers.next() : entry.count();
    LevelAnswers levels = new LevelAnswers(Levels.read(entry.template(), clock, answers));
    @Nullable PendingCharge pending = entry.first();
    for (int i = admitted - 1; i >= 0 && pending != null; i--) {
      PendingCharge next = pending.next();
      pending.complete(levels.allowed(pending.charge(), i));
      pending = next;
    }
    if (admitted < 0) {
      completeAll(pending, levels.never(entry.first().charge()));
      return null;
    }
    if (pending != null && entry.template().isOff()) {
      completeAll(pending, denied(entry.first(), levels));
      return null;
    }
    return pending;
  }

  // Reads one answer, for one charge or more; returns the first of the remaining charges.
  private @Nullable PendingCharge answerOne(
      PendingCharge first, Answers answers, Consumer<PendingCharge> later) {
    int numbers = (int) answers.next();
    Codes code = Codes.of(answers.next());
    switch (code) {
      case FAILED -> {
        StoreUnavailableException error =
            new StoreUnavailableException(StoreFault.DATA, text(answers), null);
        forAll(first, pending -> pending.completeExceptionally(error));
        return null;
      }
      case OUTSIDE -> {
        forAll(first, askAgain);
        return null;
      }
      case LATER -> {
        forAll(first, pending -> {
          queued.add(Owner.of(pending.charge()), pending.askedNanos());
          pending.expectQueue(true);
          later.accept(pending);
        });
        return null;
      }
      case AGAIN -> {
        long[] used = numbersOf(first.charge(), answers);
        completeAll(first, MixedAnswer.again(first.charge(), used, answers.next()));
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
        Decided answer = isMixed(first)
            ? mixed(first, code.outcome(), numbers - 1, answers)
            : rates(first.charge(), numbersOf(first.charge(), answers), code.outcome(), 0, answers)
                .answer();
        completeAll(first, answer);
        return null;
      }
      case ALLOWED, DENIED -> {
        PendingCharge next = first.next();
        first.complete(
            isMixed(first)
                ? mixed(first, code.outcome(), numbers - 1, answers)
                : ofRates(first, code.outcome(), numbers - 1, answers));
        return next;
      }
    }
    throw new IllegalStateException("a code without a meaning: " + code);
  }

  // Charges that are decided as one are answered as those of several kinds, whatever they demand.
  private static boolean isMixed(PendingCharge pending) {
    return pending.isJoined() || pending.charge().isMixed();
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

  private StoreAnswer denied(PendingCharge asked, LevelAnswers levels) {
    Charge charge = asked.charge();
    if (asked.clockMicros() < 0 && DenialCache.concern(charge)) {
      denials.learn(charge, levels.used(charge, 0), asked.askedNanos());
    }
    return levels.denied(charge);
  }

  private static long[] numbersOf(Charge charge, Answers answers) {
    long[] used = new long[charge.demands().size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = answers.next();
    }
    return used;
  }

  // The numbers of the other kinds follow the units used.
  private Decided mixed(PendingCharge first, Outcome outcome, int numbers, Answers answers) {
    Charge charge = first.charge();
    long[] used = numbersOf(charge, answers);
    MixedAnswer mixed = MixedAnswer.read(charge, used, answers);
    int left = numbers - used.length - mixed.numbers();
    PendingCharge decided = first.granted(mixed.granted());
    if (mixed.isFull() && outcome == Outcome.DENIED) {
      long wait = answers.next();
      denials.learnMixed(decided, mixed, mixed.termsOfKinds(wait));
      return mixed.denied(wait, answers.next());
    }
    expectQueue(first, left);
    RatesAnswer ofRates =
        rates(mixed.asRates(decided.charge()), mixed.usedOfPayers(), outcome, left, answers);
    if (charge.isPartial() && !decided.charge().isMixed()) {
      learnRates(decided, used, outcome, ofRates.waitMicros());
    } else {
      denials.learnMixed(decided, mixed, used, ofRates);
    }
    return MixedAnswer.granted(charge, mixed.with(ofRates.answer()), mixed.granted());
  }

  private Decided ofRates(PendingCharge first, Outcome outcome, int numbers, Answers answers) {
    Charge charge = first.charge();
    long[] used = numbersOf(charge, answers);
    int left = numbers - used.length;
    expectQueue(first, left);
    RatesAnswer answer = rates(charge, used, outcome, left, answers);
    if (outcome == Outcome.DENIED && charge.slots() != SlotMode.OFF) {
      denials.learnLast(first, used, answer.waitMicros());
    }
    return answer.answer();
  }

  private void learnRates(PendingCharge denied, long[] used, Outcome outcome, long waitMicros) {
    Charge charge = denied.charge();
    if (outcome == Outcome.DENIED && charge.slots() != SlotMode.OFF) {
      denials.learnLast(denied, used, waitMicros);
    } else if (outcome == Outcome.DENIED
        && denied.clockMicros() < 0
        && DenialCache.concern(charge)) {
      denials.learn(charge, used, denied.askedNanos());
    }
  }

  // More numbers say that the charge went the long way: its next ones will, too.
  private void expectQueue(PendingCharge first, int left) {
    if (left == 0) {
      queued.remove(Owner.of(first.charge()));
    } else {
      queued.add(Owner.of(first.charge()), first.askedNanos());
    }
  }

  // Reads what follows the units used; `left` elements remain.
  private static RatesAnswer rates(
      Charge charge, long[] used, Outcome outcome, int left, Answers answers) {
    boolean isDenied = outcome == Outcome.DENIED;
    long wait = isDenied ? answers.next() : 0;
    boolean isEstimate = isDenied && answers.next() == 1;
    QueueReport report = left == 0
        ? QueueReport.NONE
        : new QueueReport(Returned.of(answers.next()), answers.next() == 1);
    Optional<String> ticket =
        isDenied ? Optional.of(text(answers)).filter(given -> !given.isEmpty()) : Optional.empty();
    Wait given = isDenied ? new Wait(wait, isEstimate, ticket) : Wait.NONE;
    Decided answer = new Decided(charge.verdict().decision(outcome, used, given), report);
    return new RatesAnswer(answer, charge, used, wait);
  }

  private static String text(Answers answers) {
    Answers.Text text = answers.nextText();
    return new String(text.bytes(), text.start(), text.end() - text.start(), US_ASCII);
  }
}
