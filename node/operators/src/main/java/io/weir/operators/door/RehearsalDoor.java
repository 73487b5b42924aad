package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.Failures;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.admin.PolicyProblems;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.rehearsal.RedisCandidate;
import io.weir.operators.rehearsal.Rehearsals;
import io.weir.state.document.PolicyDocuments;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code /v1/rehearsal}: decides a candidate for the policy beside the one in force for some time, and tells how it
 * stands, and what limits in audit mode would deny; for operators.
 */
public final class RehearsalDoor implements Door {
  private static final String PATH = "/v1/rehearsal";
  private static final String SECONDS = "seconds";
  private static final int USUAL_SECONDS = 600;
  private static final int MOST_SECONDS = 86_400;

  private final OperatorWork work;
  private final Operators operators;
  private final OperatorBodies bodies;
  private final RedisCandidate stored;
  private final Rehearsals rehearsals;

  /** A door of one event loop. */
  public RehearsalDoor(Vertx vertx, NodeParts node, Rehearsals rehearsals) {
    this.work = new OperatorWork(vertx);
    this.operators = node.operators();
    this.bodies = new OperatorBodies(vertx, node.memory());
    this.stored = rehearsals.stored();
    this.rehearsals = rehearsals;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::look),
        Route.put(PATH, this::begin).withQuery(SECONDS),
        Route.delete(PATH, this::end));
  }

  private Future<Void> look(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.READ);
    return rehearsals.view(work, operator.name()).compose(json -> request.answer(200, json));
  }

  private Future<Void> begin(RoutedRequest request) {
    Operator operator = operators.require(request.http(), Scope.ALL);
    Duration lasts = seconds(QueryParameters.values(request.http(), Set.of(SECONDS)));
    return bodies
        .bytes(request, PolicyDocuments.MAX_BYTES)
        .compose(body -> work.run(() -> {
          String text = PolicyDocuments.text("candidate", body.getBytes());
          return new Checked(
              text, PolicyDocuments.parse("candidate", text).warnings().size());
        }))
        .recover(RehearsalDoor::refused)
        .compose(checked -> work.of(stored.put(operator.name(), lasts, checked.text()))
            .compose(id -> rehearsals.look(work).map(id))
            .compose(id -> request.answer(
                200,
                new JsonObject()
                    .put("id", id)
                    .put(SECONDS, lasts.toSeconds())
                    .put("warnings", checked.warnings()))));
  }

  private record Checked(String text, int warnings) {}

  private static Future<Checked> refused(Throwable error) {
    return Future.failedFuture(
        Failures.cause(error) instanceof InvalidPolicyException invalid
            ? new RefusedException(PolicyProblems.refusal(invalid))
            : error);
  }

  private static Duration seconds(Map<String, String> asked) {
    return Duration.ofSeconds(
        QueryParameters.number(asked, SECONDS, USUAL_SECONDS, 1, MOST_SECONDS));
  }

  private Future<Void> end(RoutedRequest request) {
    operators.require(request.http(), Scope.ALL);
    return work.of(stored.end())
        .compose(ended -> rehearsals.look(work).map(ended))
        .compose(ended -> request.answer(200, new JsonObject().put("ended", ended)));
  }
}
