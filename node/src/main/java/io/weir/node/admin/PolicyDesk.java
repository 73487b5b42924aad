package io.weir.node.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Problem;
import io.weir.core.throttle.Failures;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.QueryParameters;
import io.weir.state.audit.RedisAudit;
import io.weir.state.document.PolicyDocuments;
import io.weir.state.policy.ChangedException;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.policy.Publication;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How operators put policies in force: conditions, rehearsals, differences, and the audit. For one event loop. */
final class PolicyDesk {
  /** The query parameter that asks for a check only. */
  static final String DRY_RUN = "dryRun";

  /** The query parameter that says why. */
  static final String COMMENT = "comment";

  private static final Logger LOG = LoggerFactory.getLogger(PolicyDesk.class);

  private final Vertx vertx;
  private final Context loop;
  private final ClusterPolicy policies;
  private final RedisAudit audit;

  PolicyDesk(Vertx vertx, ClusterPolicy policies, RedisAudit audit) {
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.policies = policies;
    this.audit = audit;
  }

  /**
   * What an operator asks for, with the policy.
   *
   * @param expected the value of {@code If-Match}
   */
  record Wish(Operator operator, Optional<String> expected, boolean isDryRun, String comment) {
    static Wish of(HttpServerRequest request, Operator operator) {
      Map<String, String> asked = QueryParameters.values(request, Set.of(DRY_RUN, COMMENT));
      String comment = asked.getOrDefault(COMMENT, "");
      if (!Edit.isComment(comment)) {
        throw new RefusedException(ProblemDetails.badRequest(
            "query_invalid", List.of("comment: (expected: one line, at most 200 characters)")));
      }
      return new Wish(
          operator,
          Optional.ofNullable(request.getHeader(HttpHeaders.IF_MATCH)),
          QueryParameters.flag(asked, DRY_RUN),
          comment);
    }

    Wish because(String reason) {
      return new Wish(operator, expected, isDryRun, comment.isEmpty() ? reason : comment);
    }
  }

  ClusterPolicy policies() {
    return policies;
  }

  /** Puts a policy in force for all nodes, or refuses it as a whole; or only checks it. */
  Future<Void> put(HttpServerRequest request, Wish wish, String text) {
    long current = policies.current().revision();
    String before = policies.text();
    if (wish.expected().filter(tags -> !matches(tags, current)).isPresent()) {
      return changed(wish.expected().get());
    }
    return (wish.isDryRun() ? checked(text, current) : published(text, wish, current))
        .recover(error -> refused(error, wish))
        .compose(publication -> vertx
            .executeBlocking(
                () -> PolicyDiff.of(
                    name(current),
                    before,
                    wish.isDryRun() ? "rehearsed" : name(publication.revision()),
                    text),
                false)
            .compose(diff -> answer(request, wish, publication, diff)));
  }

  // A check leaves the revision in force unchanged, and answers with it.
  private Future<Publication> checked(String text, long current) {
    return vertx
        .executeBlocking(() -> PolicyDocuments.parse("policy", text), false)
        .map(reading -> new Publication(current, reading.warnings()));
  }

  private Future<Publication> published(String text, Wish wish, long current) {
    OptionalLong revision =
        wish.expected().isPresent() ? OptionalLong.of(current) : OptionalLong.empty();
    Edit edit = new Edit(wish.operator().name(), wish.comment());
    return Future.fromCompletionStage(policies.publish("policy", text, revision, edit), loop)
        .onSuccess(publication ->
            LOG.info("policy revision {} was published here", publication.revision()))
        .compose(publication -> audited(publication, wish, current).map(publication));
  }

  // The policy is in force: without the audit, too.
  private Future<Void> audited(Publication publication, Wish wish, long before) {
    return Future.fromCompletionStage(
            audit.add(
                wish.operator().name(),
                "publish",
                "policy",
                new JsonObject().put("revision", before).encode(),
                new JsonObject()
                    .put("revision", publication.revision())
                    .put("comment", wish.comment())
                    .encode()),
            loop)
        .onFailure(error -> LOG.warn("a policy is not in the audit: {}", error.getMessage()))
        .otherwiseEmpty();
  }

  private Future<Void> answer(
      HttpServerRequest request, Wish wish, Publication publication, String diff) {
    JsonObject answer = new JsonObject()
        .put("revision", publication.revision())
        .put("warnings", problems(publication.warnings()))
        .put("diff", diff);
    if (wish.isDryRun()) {
      answer.put(DRY_RUN, true);
    }
    return request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
        .putHeader(HttpHeaders.ETAG, tag(publication.revision()))
        .end(answer.toBuffer());
  }

  // Tells what has changed since the revision that the operator has seen.
  private <T> Future<T> changed(String tags) {
    ProblemDetails changed = ProblemDetails.of(
        412, "policy_changed", "Another revision is in force than If-Match names");
    long current = policies.current().revision();
    String text = policies.text();
    OptionalLong seen = revision(tags);
    if (seen.isEmpty()) {
      return Future.failedFuture(new RefusedException(changed.with("revision", current)));
    }
    return of(policies.text(seen.getAsLong()))
        .otherwise(Optional.empty())
        .compose(before -> vertx.executeBlocking(
            () -> before.map(it -> PolicyDiff.of(name(seen.getAsLong()), it, name(current), text)),
            false))
        .compose(diff -> {
          ProblemDetails problem = changed.with("revision", current);
          return Future.failedFuture(
              new RefusedException(diff.map(it -> problem.with("diff", it)).orElse(problem)));
        });
  }

  private Future<Publication> refused(Throwable error, Wish wish) {
    Throwable cause = Failures.cause(error);
    if (cause instanceof ChangedException && wish.expected().isPresent()) {
      return Future.fromCompletionStage(policies.reload(0), loop)
          .transform(reloaded -> changed(wish.expected().get()));
    }
    if (cause instanceof InvalidPolicyException invalid) {
      return Future.failedFuture(new RefusedException(
          ProblemDetails.of(422, "policy_invalid", "The policy is refused; the one in force stays")
              .with("problems", problems(invalid.problems()))));
    }
    if (cause instanceof RefusedException) {
      return Future.failedFuture(cause);
    }
    LOG.warn("a policy was not published: {}", cause.getMessage());
    return Future.failedFuture(new RefusedException(ProblemDetails.unavailable()));
  }

  /** The result of a call to the shared state, on this event loop. */
  <T> Future<T> of(CompletionStage<T> stage) {
    return Future.fromCompletionStage(stage, loop)
        .recover(error -> Future.failedFuture(RefusedException.of(error)));
  }

  /** Runs work that takes longer than an event loop may be held. */
  <T> Future<T> aside(Callable<T> work) {
    return vertx.executeBlocking(work, false);
  }

  // RFC 9110, section 13.1.1
  private static boolean matches(String tags, long revision) {
    return Arrays.stream(tags.split(",", -1))
        .map(String::strip)
        .anyMatch(tag -> tag.equals("*") || tag.equals(tag(revision)));
  }

  private static OptionalLong revision(String tags) {
    return tags.matches("\"\\d{1,16}\"")
        ? OptionalLong.of(Long.parseLong(tags.substring(1, tags.length() - 1)))
        : OptionalLong.empty();
  }

  static String tag(long revision) {
    return "\"%d\"".formatted(revision);
  }

  static String name(long revision) {
    return "revision " + revision;
  }

  static JsonArray problems(List<Problem> problems) {
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
