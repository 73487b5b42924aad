package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.warning.AllReceivers;
import io.weir.operators.warning.NodeWarnings;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * {@code GET /v1/warnings}: the rules for warnings and what became of the messages of all nodes, and {@code POST
 * /v1/warnings/test}: sends one message from this node; for operators.
 */
public final class WarningsDoor implements Door {
  private static final int MAX_BYTES = 1024;
  private static final String INVALID = "test_invalid";
  private static final ProblemDetails UNKNOWN =
      ProblemDetails.of(404, "receiver_unknown", "This node has no such receiver of webhooks");

  private final OperatorWork work;
  private final NodeParts node;
  private final OperatorBodies bodies;
  private final NodeWarnings warnings;
  private final AllReceivers receivers;

  /** A door of one event loop. */
  public WarningsDoor(Vertx vertx, NodeParts node, NodeWarnings warnings, AllReceivers receivers) {
    this.work = new OperatorWork(vertx);
    this.node = node;
    this.bodies = new OperatorBodies(vertx, node.memory());
    this.warnings = warnings;
    this.receivers = receivers;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get("/v1/warnings", this::list), Route.post("/v1/warnings/test", this::test));
  }

  private Future<Void> list(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Scope.READ);
    return receivers.look(work, operator.name()).compose(found -> request.answer(200, found));
  }

  // It makes the node call others.
  private Future<Void> test(RoutedRequest request) {
    node.operators().require(request.http(), Scope.ALL);
    return bodies
        .object(request, MAX_BYTES, INVALID)
        .compose(body -> work.of(sent(body)))
        .compose(json -> request.answer(200, json));
  }

  private CompletionStage<JsonObject> sent(JsonObject body) {
    if (!(body.getValue("to") instanceof String to) || body.size() > 1) {
      throw OperatorBodies.invalid(INVALID, List.of("to: (expected: a receiver)"));
    }
    return warnings.test(to).orElseThrow(() -> new RefusedException(UNKNOWN));
  }
}
