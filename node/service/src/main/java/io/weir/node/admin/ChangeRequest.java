package io.weir.node.admin;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.state.policy.Edit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The request of an operator, apart from the policy itself.
 *
 * @param expected the value of {@code If-Match}
 * @param isForced whether stored keys may lose limits
 */
record ChangeRequest(
    Operator operator,
    Optional<String> expected,
    boolean isDryRun,
    boolean isForced,
    String comment) {
  /** The query parameter that asks for a check only. */
  static final String DRY_RUN = "dryRun";

  /** The query parameter that puts a policy in force though stored keys lose limits by it. */
  static final String FORCE = "force";

  /** The query parameter that says why. */
  static final String COMMENT = "comment";

  private static final int MOST_REASON = 150;

  /** The route of a change, with its query parameters. */
  static Route route(Route plain) {
    return plain.withQuery(DRY_RUN, FORCE, COMMENT);
  }

  static ChangeRequest of(HttpServerRequest request, Operator operator) {
    Map<String, String> asked = QueryParameters.values(request, Set.of(DRY_RUN, FORCE, COMMENT));
    String comment = asked.getOrDefault(COMMENT, "");
    if (!Edit.isComment(comment)) {
      throw new RefusedException(ProblemDetails.badRequest(
          "query_invalid", List.of("comment: (expected: one line, at most 200 characters)")));
    }
    return new ChangeRequest(
        operator,
        Optional.ofNullable(request.getHeader(HttpHeaders.IF_MATCH)),
        QueryParameters.flag(asked, DRY_RUN),
        QueryParameters.flag(asked, FORCE),
        comment);
  }

  ChangeRequest because(String reason) {
    String shown = reason.length() <= MOST_REASON ? reason : reason.substring(0, MOST_REASON) + "…";
    return new ChangeRequest(
        operator, expected, isDryRun, isForced, comment.isEmpty() ? shown : comment);
  }
}
