package io.weir.node.admission;

import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.CostRule;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.RequestTarget;
import io.weir.core.policy.Subject;
import io.weir.node.admission.Witness.Question;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.util.Optional;

/**
 * A request that somebody else forwards: its subject, its operation, and its cost, without a destination.
 *
 * @param rule empty if the policy does not list the operation
 * @param cost in operations
 */
public record Inquiry(Subject subject, Optional<OperationRule> rule, long cost) {
  private static final ProblemDetails BODY_NEEDED = ProblemDetails.of(
      403,
      "body_needed",
      "The cost of the operation is in its body, which a proxy that asks does not send: send it through the gateway");

  /** The question whether it may pass. */
  public Question question() {
    return new Question(subject, rule.map(OperationRule::name).orElse(Plan.UNLISTED), cost);
  }

  /**
   * Finds the operation of a request; throws {@link RefusedException} if its path can be read in more than one way, or if
   * its cost is in its body.
   */
  public static Operation operation(Policy policy, HttpServerRequest request) {
    Optional<OperationRule> rule = Optional.of(request.uri())
        .filter(target -> target.indexOf('#') < 0)
        .flatMap(target -> RequestTarget.segments(request.path()))
        .map(path -> policy.rule(request.method().name(), path))
        .orElseThrow(() -> new RefusedException(Admission.PATH_AMBIGUOUS));
    CostRule cost = rule.map(OperationRule::cost).orElse(IdentifiedRequest.ONE);
    if (CostReader.needsBody(cost)) {
      throw new RefusedException(BODY_NEEDED);
    }
    Request read = new Request(request.method().name(), request.uri(), request.headers());
    return new Operation(rule, CostReader.cost(cost, read, Optional.empty()));
  }

  /** The operation and the cost of a request whose subject is not known yet. */
  public record Operation(Optional<OperationRule> rule, long cost) {
    /** The same of a subject. */
    public Inquiry by(Subject subject) {
      return new Inquiry(subject, rule, cost);
    }
  }
}
