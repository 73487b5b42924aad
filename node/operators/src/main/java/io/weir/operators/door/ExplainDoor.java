package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Names;
import io.weir.core.policy.Nearest;
import io.weir.core.policy.OperationRule;
import io.weir.core.policy.Plan;
import io.weir.core.policy.Policy;
import io.weir.core.policy.Subject;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Identities;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.node.resp.limit.RequestLimits;
import io.weir.operators.explain.Explainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code GET /v1/explain}: what would be decided now of an operation, or of all, and why; for operators. */
public final class ExplainDoor implements Door {
  private static final String[] PARAMETERS = {"key", "operation", "cost"};
  private static final String COST = "[1-9]\\d{0,14}";

  private static final ProblemDetails NOT_CARRIED = ProblemDetails.of(
      404,
      "operation_unknown",
      "No denied command of this key is remembered: its limit is known by the command alone");

  private final Operators operators;
  private final Identities identities;
  private final Explainer explainer;

  public ExplainDoor(Operators operators, Identities identities, Explainer explainer) {
    this.operators = operators;
    this.identities = identities;
    this.explainer = explainer;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/explain", this::explain).withQuery(PARAMETERS));
  }

  private Future<Void> explain(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(PARAMETERS));
    String key = asked.getOrDefault("key", "");
    Optional<String> operation = Optional.ofNullable(asked.get("operation"));
    Optional<String> cost = Optional.ofNullable(asked.get("cost"));
    List<String> mistakes = new ArrayList<>(0);
    if (!Names.isSubject(key)) {
      mistakes.add("key: (expected: the id of a key, or the name of a subject)");
    }
    if (operation.filter(name -> !Names.isName(name)).isPresent()) {
      mistakes.add("operation: (expected: %s)".formatted(Names.NAME_PATTERN));
    }
    if (cost.filter(text -> !text.matches(COST)).isPresent()) {
      mistakes.add("cost: (expected: operations, 1 to 999999999999999)");
    }
    if (!mistakes.isEmpty()) {
      throw new RefusedException(ProblemDetails.badRequest("query_invalid", mistakes));
    }
    return identities
        .namedByOperator(key, operator)
        .map(subject -> allowed(operator, key, subject))
        .map(subject -> knowing(operation, subject))
        .compose(subject -> explained(operator, subject, operation, cost.map(Long::valueOf)))
        .compose(json -> request.answer(200, json));
  }

  private Future<JsonObject> explained(
      Operator operator, Subject subject, Optional<String> operation, Optional<Long> cost) {
    if (operation.isEmpty()) {
      return explainer.explainAll(operator, subject, cost);
    }
    return isCarried(operation.get(), subject)
        ? explainer
            .explainCarried(operator, subject, cost)
            .map(found -> found.orElseThrow(() -> new RefusedException(NOT_CARRIED)))
        : explainer.explain(operator, subject, operation.get(), cost);
  }

  // An operation of the policy with this name comes first.
  private boolean isCarried(String operation, Subject subject) {
    return operation.equals(RequestLimit.OPERATION)
        && !isKnown(operation)
        && RequestLimits.of(identities.policy()).isTakenBy(subject.plan());
  }

  // Another operation would be explained as unlisted, which nobody means by a typing error.
  private Subject knowing(Optional<String> asked, Subject subject) {
    asked.filter(name -> !isKnown(name) && !isCarried(name, subject)).ifPresent(unknown -> {
      List<String> named = identities.policy().routing().rules().stream()
          .map(OperationRule::name)
          .toList();
      // The names of all plans would be too many to compare with.
      String expected = Nearest.to(unknown, named)
          .or(() -> subject.plan().nearest(unknown))
          .orElse("an operation of the policy, or " + Plan.UNLISTED);
      throw new RefusedException(
          ProblemDetails.of(404, "operation_unknown", "The policy in force has no such operation")
              .with(
                  "errors",
                  JsonArray.of("operation: '%s' (expected: %s)".formatted(unknown, expected))));
    });
    return subject;
  }

  private boolean isKnown(String operation) {
    Policy policy = identities.policy();
    return operation.equals(Plan.UNLISTED)
        || policy.rule(operation).isPresent()
        || policy.plans().values().stream().anyMatch(plan -> plan.operations().contains(operation));
  }

  // An operator of one tenant cannot tell a key of another tenant from an unknown key.
  private static Subject allowed(Operator operator, String key, Optional<Subject> subject) {
    return subject
        .filter(it -> operator.mayFor(it.tenant(), Scope.READ))
        .orElseThrow(() -> Explainer.unknown(key));
  }
}
