package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.denial.DenialQuery;
import io.weir.operators.denial.DenialSearch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code GET /v1/denials}: the last denials of all nodes, for operators. */
public final class DenialsDoor implements Door {
  private static final String PATH = "/v1/denials";
  private static final int MOST = 500;
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404, "denial_unknown", "No node remembers this denial: it was pushed out, or never was");

  private static final ProblemDetails NOT_ALL = ProblemDetails.of(
      503, "nodes_silent", "Not every node has answered: one of them may remember it");

  private final OperatorWork work;
  private final Operators operators;
  private final DenialSearch search;

  /** A door of one event loop. */
  public DenialsDoor(Vertx vertx, Operators operators, DenialSearch search) {
    this.work = new OperatorWork(vertx);
    this.operators = operators;
    this.search = search;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::list).withQuery("tenant", "key", "rehearsed", "limit"),
        Route.get(PATH + "/{id}", this::one));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", Map.of(), UNKNOWN).checkedBy(operators::of));
  }

  private Future<Void> list(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    Map<String, String> asked =
        QueryParameters.values(request.http(), Set.of("tenant", "key", "rehearsed", "limit"));
    DenialQuery query = new DenialQuery(
        Optional.empty(),
        Tenants.of(asked, operator),
        Optional.ofNullable(asked.get("key")),
        isRehearsed(asked),
        Limits.of(asked, MOST));
    return search
        .find(work, operator.name(), query)
        .compose(found -> request.answer(200, found.toJson()));
  }

  private static boolean isRehearsed(Map<String, String> asked) {
    String text = asked.getOrDefault("rehearsed", "false");
    if (!text.equals("true") && !text.equals("false")) {
      throw new RefusedException(ProblemDetails.badRequest(
          "query_invalid", List.of("rehearsed: (expected: true or false)")));
    }
    return text.equals("true");
  }

  private Future<Void> one(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    DenialQuery query = DenialQuery.ofId(request.parameter("id"), operator.tenant());
    return search.find(work, operator.name(), query).compose(found -> {
      if (found.denials().isEmpty()) {
        throw new RefusedException(found.isIncomplete() ? NOT_ALL : UNKNOWN);
      }
      return request.answer(200, found.denials().get(0));
    });
  }
}
