package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.cases.CaseQuery;
import io.weir.operators.cases.CaseSearch;
import io.weir.operators.cases.CaseState;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code GET /v1/cases}: who is limited, by which limit and since when, on all nodes; for operators. */
public final class CasesDoor implements Door {
  private static final String STATE = "state";
  private static final String[] PARAMETERS = {STATE, Tenants.NAME, Limits.NAME};

  private final OperatorWork work;
  private final Operators operators;
  private final CaseSearch search;

  /** A door of one event loop. */
  public CasesDoor(Vertx vertx, Operators operators, CaseSearch search) {
    this.work = new OperatorWork(vertx);
    this.operators = operators;
    this.search = search;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/cases", this::list).withQuery(PARAMETERS));
  }

  private Future<Void> list(RoutedRequest request) {
    Operator operator = operators.of(request.http());
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(PARAMETERS));
    CaseQuery query =
        new CaseQuery(state(asked), Tenants.of(asked, operator), Limits.of(asked, CaseQuery.MOST));
    return search.find(work, operator.name(), query).compose(found -> request.answer(200, found));
  }

  private static CaseState state(Map<String, String> asked) {
    return CaseState.of(asked.getOrDefault(STATE, CaseState.NOW.word()))
        .orElseThrow(() -> new RefusedException(ProblemDetails.badRequest(
            "query_invalid", List.of("state: (expected: %s)".formatted(CaseState.words())))));
  }
}
