package io.weir.state.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.bucket.Draw;
import io.weir.bucket.LeakyBucket;
import io.weir.decision.Verdict;
import io.weir.decision.Verdict.Outcome;
import io.weir.decision.Verdict.Wait;
import io.weir.slot.LineReport;
import io.weir.slot.LineReport.Returned;
import io.weir.state.redis.Answers.Kind;
import io.weir.throttle.Charge;
import io.weir.throttle.StoreAnswer;
import io.weir.throttle.StoreAnswer.Decided;
import io.weir.throttle.StoreUnavailableException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells every question of a batch what the script has answered. Remembers the denials. */
final class AnswerReader {
  private static final int LINE_NUMBERS = 8;

  private final KnownDenials denials;

  AnswerReader(KnownDenials denials) {
    this.denials = denials;
  }

  /** Answers all questions of the batch. What one of them makes of its answer does not touch the others. */
  void answer(Batch batch, Answers answers) {
    answers.next();
    long clock = answers.next();
    for (Batch.Entry entry : batch.entries()) {
      long asked = entry.first.clockMicros;
      answer(entry, asked < 0 ? clock : asked, answers);
    }
  }

  private void answer(Batch.Entry entry, long clock, Answers answers) {
    Question question = entry.first;
    int left = entry.count;
    if (answers.kind() != Kind.ARRAY) {
      int admitted = answers.kind() == Kind.INTEGER ? (int) answers.next() : left;
      Levels after = Levels.read(entry.terms, clock, answers);
      for (int i = admitted - 1; i >= 0; i--) {
        Question next = question.next;
        question.complete(allowed(question.charge, after, i));
        left--;
        if (next == null) {
          return;
        }
        question = next;
      }
      if (entry.terms.isOff()) {
        completeAll(question, denied(entry.first, after), null);
        return;
      }
    }
    while (true) {
      Question next = question.next;
      int numbers = (int) answers.next();
      Status status = Status.of(answers.next());
      if (status == Status.FAILED) {
        completeAll(question, null, new StoreUnavailableException(text(answers), null));
        return;
      }
      if (status == Status.STALE) {
        completeAll(question, new StoreAnswer.Stale(answers.next()), null);
        return;
      }
      StoreAnswer detailed = detailed(question.charge, status.outcome(), numbers - 1, answers);
      if (status == Status.NEVER_ALLOWED) {
        completeAll(question, detailed, null);
        return;
      }
      question.complete(detailed);
      if (--left == 0 || next == null) {
        return;
      }
      question = next;
    }
  }

  private static void completeAll(
      @Nullable Question first, @Nullable StoreAnswer answer, @Nullable Throwable error) {
    Question question = first;
    while (question != null) {
      Question next = question.next;
      if (error == null) {
        question.complete(answer);
      } else {
        question.completeExceptionally(error);
      }
      question = next;
    }
  }

  // The levels are those after `later` more of the same.
  private static StoreAnswer allowed(Charge charge, Levels after, int later) {
    List<Draw> draws = charge.draws();
    long[] used = new long[draws.size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = after.used(i) - (later == 0 ? 0 : later * draws.get(i).units(charge.cost()));
    }
    return new Decided(
        charge.verdict(after.lagMicros()).decision(Outcome.ALLOWED, used, Wait.NONE),
        LineReport.NONE);
  }

  private StoreAnswer denied(Question asked, Levels levels) {
    Charge charge = asked.charge;
    List<Draw> draws = charge.draws();
    long[] used = new long[draws.size()];
    long wait = 0;
    for (int i = 0; i < used.length; i++) {
      Draw draw = draws.get(i);
      used[i] = levels.used(i);
      wait =
          Math.max(wait, LeakyBucket.waitMicros(draw.bucket(), used[i], draw.units(charge.cost())));
    }
    if (asked.clockMicros < 0 && levels.lagMicros() == 0 && KnownDenials.concern(charge)) {
      denials.learn(charge, used, asked.askedNanos);
    }
    Wait told = new Wait(wait, true, Optional.empty());
    return new Decided(
        charge.verdict(levels.lagMicros()).decision(Outcome.DENIED, used, told), LineReport.NONE);
  }

  /** Reads an answer of which the status is read already; {@code numbers} are left. */
  static StoreAnswer detailed(Charge charge, Outcome outcome, int numbers, Answers answers) {
    long lag = answers.next();
    long[] used = new long[charge.draws().size()];
    for (int i = 0; i < used.length; i++) {
      used[i] = answers.next();
    }
    int left = numbers - 1 - used.length;
    long[] line = new long[LINE_NUMBERS];
    for (int i = 0; i < left; i++) {
      line[i] = answers.next();
    }
    Verdict verdict = charge.verdict(lag);
    Wait wait = left == 0 ? Wait.NONE : waitOf(charge, line);
    return new Decided(
        verdict.decision(outcome, used, wait),
        left < LINE_NUMBERS
            ? LineReport.NONE
            : new LineReport(Returned.of(line[4]), line[5] == 1, line[6], line[7]));
  }

  private static Wait waitOf(Charge charge, long[] line) {
    Optional<String> ticket = Optional.empty();
    if (line[2] > 0) {
      String id =
          line[3] == 1 ? charge.ticket().newId() : charge.ticket().shownId().orElse("");
      ticket = Optional.of("%016d.%s".formatted(line[2], id));
    }
    return new Wait(line[0], line[1] == 1, ticket);
  }

  static String text(Answers answers) {
    Answers.Text text = answers.nextText();
    return new String(text.bytes(), text.start(), text.end() - text.start(), US_ASCII);
  }
}
