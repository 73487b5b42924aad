package io.weir.node.admission;

import io.vertx.core.MultiMap;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.OperationRule;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A request that does not pass: it is denied now, never allowed, or undecided. Operators can look it up once it is
 * answered; a denied request may wait instead.
 */
public final class Refusal implements Ruling {
  private final Optional<Denied> denial;
  private final Function<MultiMap, ProblemDetails> answer;

  private Refusal(Optional<Denied> denial, Function<MultiMap, ProblemDetails> answer) {
    this.denial = denial;
    this.answer = answer;
  }

  /**
   * The refusal by a decision.
   *
   * @param rule of the operation, empty if the policy does not list it
   * @param answered gives the decision as it is answered
   */
  static Refusal of(Optional<OperationRule> rule, Decision refusal, Supplier<Decision> answered) {
    return new Refusal(
        Optional.of(refusal).filter(Denied.class::isInstance).map(Denied.class::cast), headers -> {
          Decision decision = answered.get();
          DecisionAnswers.addHeaders(decision, headers);
          return DecisionProblems.of(rule, decision);
        });
  }

  /** The refusal of a request that could not be decided on. */
  static Refusal undecided(Throwable error) {
    ProblemDetails problem = problem(error);
    return new Refusal(Optional.empty(), headers -> problem);
  }

  /** The problem of a request that could not be decided on. */
  public static ProblemDetails problem(Throwable error) {
    return error instanceof StoreUnavailableException
        ? ProblemDetails.unavailable()
        : Identities.invalid().problem();
  }

  /** The denial, if the request may pass later. */
  public Optional<Denied> denial() {
    return denial;
  }

  /**
   * Answers the request; called once, and not for a request that waits.
   *
   * @param headers of the answer, to which those of the decision are added
   */
  public RefusedException answer(MultiMap headers) {
    return new RefusedException(answer.apply(headers));
  }
}
