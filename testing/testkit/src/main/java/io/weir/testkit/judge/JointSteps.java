package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.slot.QueueReport.Returned;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreAnswer.Stale;
import io.weir.testkit.ManualClock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The steps of a history that only stores of the shared state can play: charges that are decided as one, whose callers
 * return with all of them or with one, and refunds and debts without a reservation. Mutable; owned by one history.
 */
final class JointSteps {
  private static final int MOST_AT_ONCE = 8;
  private static final int SOON_MICROS = 900;

  private final Random random;
  private final SharedCalls calls;
  private final JudgedCharges charges;
  private final Judge judge;
  private final Story story;
  private final Callers<Caller> waiting;

  private record Caller(JointCharge joint, Optional<String> ticket) {}

  JointSteps(
      Random random,
      ManualClock clock,
      SharedCalls calls,
      JudgedCharges charges,
      Judge judge,
      Story story) {
    this.random = random;
    this.calls = calls;
    this.charges = charges;
    this.judge = judge;
    this.story = story;
    this.waiting = new Callers<>(random, clock);
  }

  /** No caller returns. */
  void forget() {
    waiting.forget();
  }

  /** Plays a step, or leaves it to others; returns whether it did. */
  boolean next() {
    int dice = random.nextInt(10);
    if (dice == 0) {
      charges.correction().ifPresent(this::correct);
    } else if (dice < 6) {
      waiting.next().map(this::returning).ifPresentOrElse(this::decide, this::come);
    }
    return dice < 6;
  }

  /** Sometimes a caller that returns with one of its charges, which is decided alone. */
  Optional<Charge> one() {
    return random.nextInt(10) == 0
        ? waiting.next().map(this::returning).map(joint -> one(joint.charges()))
        : Optional.empty();
  }

  private void correct(Charge charge) {
    if (random.nextInt(3) > 0) {
      List<Long> given = calls.refund(charge);
      story.note(() -> "refund of " + Story.text(charge) + "\n  -> " + given);
      judge.refunded(charge, given);
    } else {
      calls.owe(charge);
      story.note(() -> "debt of " + Story.text(charge));
      judge.owed(charge);
    }
  }

  // Often one caller, sometimes several with the same charges.
  private void come() {
    JointCharge joint = charges.newcomers();
    decide(joint);
    int left = random.nextInt(4) == 0 ? random.nextInt(MOST_AT_ONCE) : 0;
    for (; left > 0; left--) {
      decide(returning(new Caller(joint, Optional.empty())));
    }
  }

  private JointCharge returning(Caller caller) {
    Queueing queueing = charges.queueing(caller.ticket());
    return new JointCharge(caller.joint().charges().stream()
        .map(charge -> charge.with(new Queueing(charge.slots(), queueing.ticket())))
        .toList());
  }

  private void decide(JointCharge joint) {
    List<Decided> answers =
        calls.tryAll(joint).stream().map(Decided.class::cast).toList();
    story.note(() -> text(joint, answers));
    judge.answered(joint, answers);
    List<Decision> decisions = answers.stream().map(Decided::decision).toList();
    if (decisions.stream().allMatch(Allowed.class::isInstance)) {
      requireStale(joint);
    } else if (decisions.stream().noneMatch(NeverAllowed.class::isInstance)) {
      refused(joint, answers);
    }
  }

  // Sometimes the same with one charge by an earlier policy: its bucket has been used by the
  // present one.
  private void requireStale(JointCharge joint) {
    List<Charge> parts = new ArrayList<>(joint.charges());
    Charge last = parts.remove(parts.size() - 1);
    long revision = last.revision();
    if (revision > 1 && !last.demands().isEmpty() && random.nextInt(10) == 0) {
      parts.add(by(revision - 1, last));
      List<StoreAnswer> answers = calls.tryAll(new JointCharge(parts));
      story.note(() -> "the same as one, by two policies\n  -> " + answers);
      require(answers.stream().allMatch(new Stale(revision)::equals), "not stale:", answers);
    }
  }

  private static Charge by(long revision, Charge charge) {
    return new Charge(
        charge.tenant(),
        charge.subject(),
        revision,
        charge.amount(),
        charge.queueing(),
        charge.failureMode());
  }

  private void refused(JointCharge joint, List<Decided> answers) {
    boolean isKept = answers.stream()
        .anyMatch(answer ->
            answer.decision() instanceof Allowed && answer.report().returned() == Returned.KEPT);
    if (isKept && random.nextBoolean()) {
      Optional<String> shown = joint.charges().get(0).ticket().shown();
      waiting.add(new Caller(joint, shown), random.nextInt(SOON_MICROS));
    } else {
      await(joint, answers);
    }
  }

  private void await(JointCharge joint, List<Decided> answers) {
    Denied longest = answers.stream()
        .map(Decided::decision)
        .filter(Denied.class::isInstance)
        .map(Denied.class::cast)
        .max(Comparator.comparingLong(Denied::retryAfterMicros))
        .orElseThrow();
    waiting.add(new Caller(joint, longest.ticket()), longest.retryAfterMicros());
  }

  private static String text(JointCharge joint, List<Decided> answers) {
    StringBuilder text = new StringBuilder("as one");
    for (int i = 0; i < answers.size(); i++) {
      text.append("\n  ")
          .append(Story.text(joint.charges().get(i)))
          .append("\n  -> ")
          .append(Story.text(answers.get(i)));
    }
    return text.toString();
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
