package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import java.util.Locale;
import java.util.Optional;

/** The answers to requests that are not admitted: each names the operation and its stage, by whatever door it came. */
public final class DecisionProblems {
  private DecisionProblems() {}

  /**
   * The answer to a request that is denied or never allowed.
   *
   * @param rule of the operation, empty if the policy does not list it
   */
  public static ProblemDetails of(Optional<OperationRule> rule, Decision refusal) {
    return of(rule.map(OperationRule::name).orElse(Plan.UNLISTED), rule, refusal);
  }

  /** The same for an operation that the caller has named; a denied operation with a stage has its own code. */
  public static ProblemDetails of(
      String operation, Optional<OperationRule> rule, Decision refusal) {
    ProblemDetails problem = DecisionAnswers.problem(operation, refusal);
    return rule.flatMap(of -> of.excess().stage())
        .map(stage -> {
          ProblemDetails named = problem.with("stage", stage.name().toLowerCase(Locale.ROOT));
          return refusal instanceof Denied ? named.withCode(stage.code()) : named;
        })
        .orElse(problem);
  }
}
