package io.weir.testkit.judge;

import static io.weir.testkit.judge.ChargeLimits.big;
import static io.weir.testkit.judge.ChargeLimits.shape;
import static io.weir.testkit.judge.Verdict.require;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.StoreAnswer.Decided;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges charges that are decided as one. If all are admitted, each is judged as a charge alone. If not, the denial with
 * the longest wait is judged so, and nothing else has changed anything. Mutable; owned by one judge.
 */
final class JointJudge {
  private static final int NONE = -1;

  private final Judge judge;
  private final RateJudge rates;
  private final Prices prices;
  private final Room room;

  JointJudge(Judge judge, RateJudge rates, Prices prices, Room room) {
    this.judge = judge;
    this.rates = rates;
    this.prices = prices;
    this.room = room;
  }

  /** A store answered, for each charge in order. */
  void answered(JointCharge joint, List<Decided> answers) {
    boolean isAdmitted = answers.stream().allMatch(answer -> answer.decision() instanceof Allowed);
    int kept = kept(answers);
    for (int i = 0; i < answers.size(); i++) {
      Charge charge = joint.charges().get(i);
      Decided answer = answers.get(i);
      if (isAdmitted || i == kept || answer.decision() instanceof NeverAllowed) {
        judge.answered(charge, answer);
      } else {
        dropped(charge, answer);
      }
    }
  }

  // The first of the denials with the longest wait; none if a charge can never pass.
  private static int kept(List<Decided> answers) {
    int kept = NONE;
    long longest = -1;
    for (int i = 0; i < answers.size(); i++) {
      Decision decision = answers.get(i).decision();
      if (decision instanceof NeverAllowed) {
        return NONE;
      } else if (decision instanceof Denied denied && denied.retryAfterMicros() > longest) {
        longest = denied.retryAfterMicros();
        kept = i;
      }
    }
    return kept;
  }

  // The units shown by a charge that would be admitted include what it would pay. Its ticket stays
  // promised.
  private void dropped(Charge charge, Decided answer) {
    if (answer.decision() instanceof Denied denied) {
      require(
          denied.estimate() && !answer.report().made() && isOwn(charge, denied),
          "a place is promised beside that of the longest wait:",
          denied);
      prices.shown(charge, denied.remarks().multiplierMillis());
      judge.requireDenied(charge, denied);
      shown(charge, denied, Map.of());
    } else if (answer.decision() instanceof Allowed allowed) {
      Payment payment = judge.payment(charge, allowed);
      require(
          room.isPossible(payment, allowed.remarks().multiplierMillis()),
          "would be admitted, but has no room:",
          allowed);
      shown(
          charge,
          allowed,
          payment.demands().stream()
              .collect(Collectors.toMap(demand -> demand.bucket().name(), payment::units)));
    }
  }

  private void shown(Charge charge, Decision decision, Map<String, BigInteger> own) {
    for (Limit limit : decision.limits()) {
      BigInteger used =
          big(limit.usedUnits()).subtract(own.getOrDefault(limit.bucket(), BigInteger.ZERO));
      charge.demands().stream()
          .filter(demand -> demand.bucket().name().equals(limit.bucket()))
          .forEach(demand -> rates.shown(shape(charge, demand), used));
    }
  }

  // A caller keeps the ticket that it shows where another limit than a rate is full.
  private static boolean isOwn(Charge charge, Denied denied) {
    return denied.ticket().isEmpty() || denied.ticket().equals(charge.ticket().shown());
  }
}
