package io.weir.node.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.schema.Problem;
import io.weir.node.answer.ProblemDetails;
import java.util.List;
import java.util.Locale;

/** The problems of a policy, as operators are told them. */
public final class PolicyProblems {
  private PolicyProblems() {}

  /** The refusal of a policy, with all of its problems. */
  public static ProblemDetails refusal(InvalidPolicyException invalid) {
    return ProblemDetails.of(422, "policy_invalid", "The policy is refused; the one in force stays")
        .with("problems", json(invalid.problems()));
  }

  static JsonArray json(List<Problem> problems) {
    JsonArray array = new JsonArray();
    for (Problem problem : problems) {
      array.add(new JsonObject()
          .put("code", problem.code())
          .put("severity", problem.severity().name().toLowerCase(Locale.ROOT))
          .put("line", problem.location().position().line())
          .put("column", problem.location().position().column())
          .put("path", problem.location().path())
          .put("message", problem.message()));
    }
    return array;
  }
}
