package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.top.TopView;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code GET /v1/top}: who was denied most in the last minute, and who was nearly denied, for operators. */
public final class TopDoor implements Door {
  private final OperatorWork work;
  private final Operators operators;
  private final TopView top;

  /** A door of one event loop. */
  public TopDoor(Vertx vertx, Operators operators, TopView top) {
    this.work = new OperatorWork(vertx);
    this.operators = operators;
    this.top = top;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/top", this::look).withQuery(Limits.NAME));
  }

  private Future<Void> look(RoutedRequest request) {
    operators.require(request.http(), Scope.READ);
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(Limits.NAME));
    return top.look(work, Limits.of(asked, TopView.MOST))
        .compose(json -> request.answer(200, json));
  }
}
