package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Problem;
import io.weir.core.throttle.Failures;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Share;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.Upload;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.policy.ChangedException;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Publication;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET} and {@code PUT /v1/policy}: the policy of the cluster, for operators. */
public final class PolicyResource implements Door {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyResource.class);
  private static final String PATH = "/v1/policy";
  /** The query parameter that asks for a check only. */
  private static final String DRY_RUN = "dryRun";

  private static final String OPERATOR = "(operator)";
  private static final ProblemDetails CHANGED =
      ProblemDetails.of(412, "policy_changed", "Another revision is in force than If-Match names");

  private final Vertx vertx;
  private final Upload uploads;
  private final ClusterPolicy policies;
  private final Operators operators;
  private final Bulkhead memory;

  /**
   * A resource for one event loop.
   *
   * @param memory bytes of bodies
   */
  public PolicyResource(Vertx vertx, ClusterPolicy policies, Operators operators, Bulkhead memory) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.policies = policies;
    this.operators = operators;
    this.memory = memory;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, request -> get(request.http())).withHead(),
        Route.put(PATH, request -> put(request.http())).withQuery(DRY_RUN));
  }

  // Answers with the text of the policy in force.
  private Future<Void> get(HttpServerRequest request) {
    operators.require(request, Scope.READ);
    long revision = policies.current().revision();
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
        .putHeader(HttpHeaders.ETAG, tag(revision))
        .putHeader("Weir-Policy-Revision", Long.toString(revision))
        .end(policies.text());
  }

  // Puts the policy in the body in force for all nodes, or refuses it as a whole.
  private Future<Void> put(HttpServerRequest request) {
    operators.require(request, Scope.ALL);
    Optional<String> expected = Optional.ofNullable(request.getHeader(HttpHeaders.IF_MATCH));
    boolean isDryRun = QueryParameters.flag(request, DRY_RUN);
    Share bytes = memory.take(OPERATOR, OPERATOR);
    return uploads
        .whole(request, PolicyDocuments.MAX_BYTES, bytes)
        .compose(body -> isDryRun ? checked(body, expected) : published(body, expected))
        .onComplete(done -> bytes.free())
        .compose(publication -> answer(request, publication, isDryRun));
  }

  // A check leaves the revision in force unchanged, and answers with it.
  private Future<Publication> checked(Buffer body, Optional<String> expected) {
    long current = policies.current().revision();
    requireMatch(expected, current);
    return vertx
        .executeBlocking(
            () -> PolicyDocuments.parse("policy", PolicyDocuments.text("policy", body.getBytes())),
            false)
        .map(reading -> new Publication(current, reading.warnings()))
        .recover(error -> Future.failedFuture(refusal(error)));
  }

  private Future<Publication> published(Buffer body, Optional<String> expected) {
    long current = policies.current().revision();
    requireMatch(expected, current);
    OptionalLong revision = expected.isPresent() ? OptionalLong.of(current) : OptionalLong.empty();
    return Future.succeededFuture()
        .compose(begun -> Future.fromCompletionStage(
            policies.publish("policy", PolicyDocuments.text("policy", body.getBytes()), revision),
            vertx.getOrCreateContext()))
        .recover(error -> Future.failedFuture(refusal(error)));
  }

  private static void requireMatch(Optional<String> expected, long current) {
    if (expected.filter(tags -> !matches(tags, current)).isPresent()) {
      throw new RefusedException(CHANGED);
    }
  }

  // RFC 9110, section 13.1.1
  private static boolean matches(String tags, long revision) {
    return Arrays.stream(tags.split(",", -1))
        .map(String::strip)
        .anyMatch(tag -> tag.equals("*") || tag.equals(tag(revision)));
  }

  private static String tag(long revision) {
    return "\"%d\"".formatted(revision);
  }

  private static Future<Void> answer(
      HttpServerRequest request, Publication publication, boolean isDryRun) {
    JsonObject answer = new JsonObject()
        .put("revision", publication.revision())
        .put("warnings", problems(publication.warnings()));
    if (isDryRun) {
      answer.put(DRY_RUN, true);
    } else {
      LOG.info("policy revision {} was published here", publication.revision());
    }
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.ETAG, tag(publication.revision()))
        .end(answer.toBuffer());
  }

  private static RefusedException refusal(Throwable error) {
    Throwable cause = Failures.cause(error);
    if (cause instanceof InvalidPolicyException invalid) {
      return new RefusedException(
          ProblemDetails.of(422, "policy_invalid", "The policy is refused; the one in force stays")
              .with("problems", problems(invalid.problems())));
    }
    if (cause instanceof ChangedException) {
      return new RefusedException(CHANGED);
    }
    LOG.warn("a policy was not published: {}", cause.getMessage());
    return new RefusedException(ProblemDetails.unavailable());
  }

  private static JsonArray problems(List<Problem> problems) {
    JsonArray array = new JsonArray();
    for (Problem problem : problems) {
      array.add(new JsonObject()
          .put("code", problem.code())
          .put("severity", problem.severity().name().toLowerCase(Locale.ROOT))
          .put("line", problem.location().line())
          .put("path", problem.location().path())
          .put("message", problem.message()));
    }
    return array;
  }
}
