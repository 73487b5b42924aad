package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Area;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.state.policy.PastRevision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** {@code /v1/policy/revisions}: the policies before the one in force, for operators. */
public final class PolicyRevisions implements Door {
  private static final String PATH = "/v1/policy/revisions";
  private static final int MAX_BYTES = 4 << 10;
  private static final String REVISION = "[1-9]\\d{0,15}";
  private static final String FROM = "from";
  private static final String TO = "to";
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "revision_unknown", "This revision is not kept, or never was");

  private final PolicyAdmin desk;
  private final Operators operators;
  private final OperatorBodies bodies;

  /** A resource for one event loop. */
  PolicyRevisions(Vertx vertx, PolicyAdmin desk, Operators operators, Bulkhead memory) {
    this.desk = desk;
    this.operators = operators;
    this.bodies = new OperatorBodies(vertx, memory);
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::list),
        Route.get(PATH + "/{revision}", this::look),
        Route.get("/v1/policy/diff", this::diff).withQuery(FROM, TO),
        ChangeRequest.route(Route.post("/v1/policy/rollback", this::rollBack)));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", Map.of(), UNKNOWN)
        .checkedBy(request -> operators.require(request, Scope.READ)));
  }

  private Future<Void> list(RoutedRequest request) {
    operators.require(request.http(), Scope.READ);
    return desk.of(desk.policies().history()).compose(revisions -> {
      JsonArray all =
          new JsonArray(revisions.stream().map(PolicyRevisions::json).toList());
      return request.answer(200, new JsonObject().put("revisions", all));
    });
  }

  private static JsonObject json(PastRevision revision) {
    JsonObject json = new JsonObject()
        .put("revision", revision.revision())
        .put("by", revision.by())
        .put("comment", revision.comment())
        .put("bytes", revision.bytes());
    return revision.atMillis() == 0
        ? json
        : json.put("at", Instant.ofEpochMilli(revision.atMillis()).toString());
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    String revision = request.parameter("revision");
    if (!revision.matches(REVISION)) {
      throw new RefusedException(UNKNOWN);
    }
    return text(Long.parseLong(revision))
        .compose(text -> desk.shown(operator, text))
        .compose(text -> request
            .response()
            .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
            .putHeader("Weir-Policy-Revision", revision)
            .end(text));
  }

  private Future<String> text(long revision) {
    return desk.of(desk.policies().text(revision))
        .map(text -> text.orElseThrow(() -> new RefusedException(UNKNOWN)));
  }

  private Future<Void> diff(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(FROM, TO));
    List<String> mistakes = new ArrayList<>(0);
    OptionalLong from = revision(asked, FROM, mistakes);
    OptionalLong to = revision(asked, TO, mistakes);
    if (!mistakes.isEmpty()) {
      throw new RefusedException(ProblemDetails.badRequest("query_invalid", mistakes));
    }
    // This node may not have heard of the newest yet.
    Future<List<PastRevision>> history = from.isPresent() && to.isPresent()
        ? Future.succeededFuture(List.of())
        : desk.of(desk.policies().history());
    return history
        .compose(kept -> {
          long end = to.orElseGet(() -> before(kept, Long.MAX_VALUE));
          return diff(from.orElseGet(() -> before(kept, end)), end);
        })
        .compose(diff -> desk.shown(operator, diff))
        .compose(diff -> request
            .response()
            .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
            .end(diff));
  }

  // The newest one before a revision: numbers may be left out.
  private static long before(List<PastRevision> kept, long revision) {
    return kept.stream()
        .mapToLong(PastRevision::revision)
        .filter(number -> number < revision)
        .max()
        .orElseThrow(() -> new RefusedException(UNKNOWN));
  }

  private Future<String> diff(long from, long to) {
    return text(from)
        .compose(before -> text(to)
            .compose(after -> desk.aside(
                () -> PolicyDiff.of(PolicyAdmin.name(from), before, PolicyAdmin.name(to), after))));
  }

  private static OptionalLong revision(
      Map<String, String> asked, String name, List<String> mistakes) {
    String text = asked.get(name);
    if (text == null) {
      return OptionalLong.empty();
    }
    if (!text.matches(REVISION)) {
      mistakes.add("%s: (expected: the number of a revision)".formatted(name));
      return OptionalLong.empty();
    }
    return OptionalLong.of(Long.parseLong(text));
  }

  // The text of then becomes a new revision.
  private Future<Void> rollBack(RoutedRequest request) {
    ChangeRequest wish =
        ChangeRequest.of(request.http(), operators.require(request.http(), Scope.ALL));
    return bodies.object(request, MAX_BYTES, "rollback_invalid").compose(body -> {
      if (body.size() != 1 || !(body.getValue("revision") instanceof Integer revision)) {
        throw OperatorBodies.invalid(
            "rollback_invalid", List.of("the body: (expected: revision, the number of one)"));
      }
      return text(revision)
          .compose(
              text -> desk.put(request.http(), wish.because("back to revision " + revision), text));
    });
  }
}
