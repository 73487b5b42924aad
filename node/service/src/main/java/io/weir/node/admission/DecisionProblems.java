package io.weir.node.admission;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.policy.OperationRule;
import io.weir.node.answer.DecisionAnswers;
import io.weir.node.answer.ProblemDetails;
import java.util.Locale;

/** The answers to requests that are not admitted: each names the operation and its stage, by whatever door it came. */
public final class DecisionProblems {
  private DecisionProblems() {}

  /** The answer to a request that is denied or never allowed. */
  public static ProblemDetails of(Asked asked, Decision refusal) {
    return refusal instanceof NeverAllowed never ? of(asked, never) : of(asked, (Denied) refusal);
  }

  /** The answer to a denied request; an operation with a stage has its own code. */
  public static ProblemDetails of(Asked asked, Denied denied) {
    ProblemDetails problem = named(asked, DecisionAnswers.problem(denied));
    return asked
        .rule()
        .flatMap(OperationRule::stage)
        .map(stage -> problem.with("code", stage.code()))
        .orElse(problem);
  }

  /** The answer to a request that is never allowed. */
  public static ProblemDetails of(Asked asked, NeverAllowed never) {
    return named(asked, DecisionAnswers.problem(never));
  }

  private static ProblemDetails named(Asked asked, ProblemDetails problem) {
    ProblemDetails named = problem.with("operation", asked.operation());
    return asked
        .rule()
        .flatMap(OperationRule::stage)
        .map(stage -> named.with("stage", stage.name().toLowerCase(Locale.ROOT)))
        .orElse(named);
  }
}
