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
   * The answer to a request that is denied or never allowed; a denied operation with a stage has its own code.
   *
   * @param rule of the operation, empty if the policy does not list it
   */
  public static ProblemDetails of(Optional<OperationRule> rule, Decision refusal) {
    ProblemDetails problem = named(rule, refusal);
    return rule.filter(known -> refusal instanceof Denied)
        .flatMap(OperationRule::stage)
        .map(stage -> problem.withCode(stage.code()))
        .orElse(problem);
  }

  private static ProblemDetails named(Optional<OperationRule> rule, Decision refusal) {
    String operation = rule.map(OperationRule::name).orElse(Plan.UNLISTED);
    ProblemDetails named = DecisionAnswers.problem(operation, refusal);
    return rule.flatMap(OperationRule::stage)
        .map(stage -> named.with("stage", stage.name().toLowerCase(Locale.ROOT)))
        .orElse(named);
  }
}
