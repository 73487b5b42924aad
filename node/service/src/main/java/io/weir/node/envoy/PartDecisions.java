package io.weir.node.envoy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.policy.Subject;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.PolicySource;
import io.weir.node.admission.Decider;
import io.weir.node.admission.Witness.Question;
import io.weir.node.envoy.Corrections.Correction;
import java.util.List;

/** Decides on single parts of requests. Owned by one event loop. */
final class PartDecisions {
  private final Context context;
  private final PolicySource policies;
  private final Decider decider;
  private final Corrections corrections;

  PartDecisions(Context context, PolicySource policies, Decider decider, Corrections corrections) {
    this.context = context;
    this.policies = policies;
    this.decider = decider;
    this.corrections = corrections;
  }

  /**
   * A decision on a part.
   *
   * @param counts whether what it shows as used has the hits in it
   * @param isLook whether nothing was asked for, so that a refusal is not counted
   */
  record Answer(Decision decision, boolean counts, boolean isLook) {
    /** The answer to a charge. */
    static Answer ofCharge(Decision decision) {
      return new Answer(decision, true, false);
    }

    boolean isAllowed() {
      return decision instanceof Allowed;
    }
  }

  /** Charges a part, looks at its limit or gives hits back, as its hits say. */
  Future<Answer> decide(Part part) {
    if (part.isRefund()) {
      return refund(part);
    }
    return part.looks() ? look(part) : charge(part, TicketRequest.NONE);
  }

  /** Takes the hits of a part, or none. */
  Future<Answer> charge(Part part, TicketRequest ticket) {
    return decider.decide(context, part.question(), ticket).map(Answer::ofCharge);
  }

  /** The answer that the hits of a part would get; of a refund, one hit. Takes nothing. */
  Future<Answer> look(Part part) {
    return peek(part, part.cost()).map(decision -> new Answer(decision, showsLeft(decision), true));
  }

  /** Takes hits that are over: those that do not fit are owed. Denied if they did not. */
  Future<Answer> take(Part part) {
    return peek(part, part.cost())
        .compose(seen -> seen instanceof Allowed
            ? charge(part, TicketRequest.NONE)
            : Future.succeededFuture(new Answer(seen, true, true)))
        .compose(answer -> answer.isAllowed() || answer.decision().degraded()
            ? Future.succeededFuture(answer)
            : owe(part, answer.decision())
                .map(decision -> new Answer(decision, true, answer.isLook())));
  }

  // The answer is that of one more hit.
  private Future<Decision> owe(Part part, Decision refusal) {
    return part.planned() instanceof Limited limited
        ? correct(corrections.owe(), part, limited, part.cost())
            .compose(done -> peek(part, part.unit()).recover(error -> refused(refusal, error)))
            .recover(error ->
                isServed(part, error) ? refused(refusal, error) : Future.failedFuture(error))
        : Future.succeededFuture(refusal);
  }

  private static Future<Decision> refused(Decision refusal, Throwable error) {
    return Failures.isOutage(error) ? Future.succeededFuture(refusal) : Future.failedFuture(error);
  }

  /**
   * Gives hits back. The look before it knows whether Redis is away: nothing is given back then. The answer is what is
   * left after it.
   */
  Future<Answer> refund(Part part) {
    return look(part).compose(before -> {
      boolean isAway = before.decision().degraded();
      return isAway || !(part.planned() instanceof Limited limited)
          ? Future.succeededFuture(before)
          : correct(corrections.refund(), part, limited, -part.hits())
              .compose(given -> look(part))
              .recover(error -> isServed(part, error)
                  ? Future.succeededFuture(degraded())
                  : Future.failedFuture(error));
    });
  }

  /** The answer of a node alone, while Redis is away. */
  Answer degraded() {
    return new Answer(new Allowed(policies.current().revision(), List.of(), true), false, true);
  }

  /** The same answer; a refusal that was only seen by a look is counted, as it is the caller's. */
  Answer counted(Part part, Answer answer) {
    return answer.isLook() && !answer.isAllowed()
        ? new Answer(decider.refused(part.question(), answer.decision()), answer.counts(), false)
        : answer;
  }

  private Future<?> correct(Correction correction, Part part, Limited limited, long operations) {
    Subject subject = part.subject();
    return Future.fromCompletionStage(
        correction.apply(subject.tenant(), subject.id(), limited, operations), context);
  }

  // No share of a node knows what is left.
  private Future<Decision> peek(Part part, long cost) {
    Question question = part.question();
    return decider
        .peek(context, question.subject(), question.operation(), cost)
        .recover(error -> isServed(part, error)
            ? Future.succeededFuture(degraded().decision())
            : Future.failedFuture(error));
  }

  private static boolean isServed(Part part, Throwable error) {
    return Failures.isOutage(error) && part.subject().plan().failureMode() != FailureMode.DENY;
  }

  // A look at a quota shows what is left after the hit.
  private static boolean showsLeft(Decision decision) {
    return decision.demands().isEmpty() && decision instanceof Allowed;
  }
}
