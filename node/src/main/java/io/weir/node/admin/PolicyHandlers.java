package io.weir.node.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.auth.TokenGuard;
import io.weir.policy.InvalidPolicyException;
import io.weir.policy.Problem;
import io.weir.state.control.ClusterPolicy;
import io.weir.state.control.ClusterPolicy.Publication;
import io.weir.state.document.PolicyDocuments;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET} and {@code PUT /v1/policy}: the policy of the cluster, for operators. */
public final class PolicyHandlers {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyHandlers.class);

  private final ClusterPolicy policies;
  private final TokenGuard operators;
  private final Context context;

  public PolicyHandlers(ClusterPolicy policies, TokenGuard operators, Context context) {
    this.policies = policies;
    this.operators = operators;
    this.context = context;
  }

  /** Lets only operators on. */
  public void guard(RoutingContext routing) {
    if (!operators.isConfigured()) {
      ProblemDetails.of(403, "admin_disabled", "The node was started without an admin token")
          .send(routing.response());
    } else if (!operators.admits(routing.request().headers())) {
      ProblemDetails.of(401, "admin_token_invalid", "The admin token is missing or wrong")
          .send(routing.response());
    } else {
      routing.next();
    }
  }

  /** Answers with the text of the policy in force. */
  public void get(RoutingContext routing) {
    routing
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
        .putHeader("Weir-Policy-Revision", Long.toString(policies.current().revision()))
        .end(policies.text());
  }

  /** Puts the policy in the body in force for every node, or refuses it whole. */
  public void put(RoutingContext routing) {
    String text;
    try {
      byte[] body =
          Optional.ofNullable(routing.body().buffer()).orElseGet(Buffer::buffer).getBytes();
      text = PolicyDocuments.text("policy", body);
    } catch (InvalidPolicyException e) {
      refuse(routing, e);
      return;
    }
    Future.fromCompletionStage(policies.publish("policy", text), context)
        .onSuccess(publication -> accept(routing, publication))
        .onFailure(error -> fail(routing, error));
  }

  private static void accept(RoutingContext routing, Publication publication) {
    LOG.info("policy revision {} was published here", publication.revision());
    routing.json(new JsonObject()
        .put("revision", publication.revision())
        .put("warnings", problems(publication.warnings())));
  }

  private static void fail(RoutingContext routing, Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    if (cause instanceof InvalidPolicyException invalid) {
      refuse(routing, invalid);
    } else {
      LOG.warn("a policy was not published: {}", cause.getMessage());
      ProblemDetails.unavailable().send(routing.response());
    }
  }

  private static void refuse(RoutingContext routing, InvalidPolicyException invalid) {
    ProblemDetails.of(422, "policy_invalid", "The policy is refused; the one in force stays")
        .with("problems", problems(invalid.problems()))
        .send(routing.response());
  }

  private static JsonArray problems(List<Problem> problems) {
    JsonArray array = new JsonArray();
    for (Problem problem : problems) {
      array.add(new JsonObject()
          .put("code", problem.code())
          .put("severity", problem.severity().name().toLowerCase(Locale.ROOT))
          .put("line", problem.place().line())
          .put("path", problem.place().path())
          .put("message", problem.message()));
    }
    return array;
  }
}
