package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.Inspection;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.live.WorkMeters;
import io.weir.state.inspect.StateInspector;
import java.util.List;

/**
 * {@code GET /v1/states}: jobs, upstreams and windows as they stand, and what all nodes have counted of them; for
 * operators.
 */
public final class StatesDoor implements Door {
  /** The most states of one kind; `weir inspect` shows any. */
  private static final int MOST = 100;

  private final OperatorWork work;
  private final NodeParts node;
  private final StateInspector inspector;
  private final List<Inspection> inspections;
  private final WorkMeters meters;

  /** A door of one event loop. */
  public StatesDoor(
      Vertx vertx,
      NodeParts node,
      StateInspector inspector,
      List<Inspection> inspections,
      WorkMeters meters) {
    this.work = new OperatorWork(vertx);
    this.meters = meters;
    this.node = node;
    this.inspector = inspector;
    this.inspections = List.copyOf(inspections);
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/states", this::states));
  }

  private Future<Void> states(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Scope.READ);
    Policy policy = node.policies().current().policy();
    return work.run(() -> all(policy))
        .recover(error -> Future.failedFuture(RefusedException.of(error)))
        .compose(states -> meters.look(work, operator.name()).map(states::mergeIn))
        .compose(json -> request.answer(200, json));
  }

  private JsonObject all(Policy policy) {
    JsonObject json = new JsonObject();
    for (Inspection inspection : inspections) {
      JsonArray things = new JsonArray();
      inspection.names().apply(policy).stream().sorted().limit(MOST).forEach(name -> {
        JsonObject fields = new JsonObject();
        inspection.show().apply(inspector, name).forEach(fields::put);
        things.add(new JsonObject().put("name", name).put("state", fields));
      });
      json.put(inspection.option(), things);
    }
    return json;
  }
}
