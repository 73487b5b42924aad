package io.weir.operators.replay;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.Policy;
import io.weir.core.throttle.Failures;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.PolicyProblems;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.operators.replay.Replay.NamedPolicy;
import io.weir.state.document.PolicyDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code POST /v1/replay}: puts the requests of a log through the policy in force, and maybe through a draft of another
 * one, by the same arithmetic; for operators. Nothing else is asked, and nothing is kept.
 */
public final class ReplayDoor implements Door {
  private static final int MAX_BYTES = 16 << 20;
  private static final int ROWS = 20;
  private static final String INVALID = "replay_invalid";
  private static final String LOG = "log";
  private static final String POLICY = "policy";
  private static final String FORMAT = "format";
  private static final List<String> FIELDS = List.of(LOG, POLICY, FORMAT);

  private final NodeParts node;
  private final OperatorWork work;
  private final OperatorBodies bodies;

  /** A door of one event loop. */
  public ReplayDoor(Vertx vertx, NodeParts node) {
    this.node = node;
    this.work = new OperatorWork(vertx);
    this.bodies = new OperatorBodies(vertx, node.memory());
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/replay", this::replay));
  }

  private Future<Void> replay(RoutedRequest request) {
    node.operators().require(request.http(), Scope.ALL);
    Policy inForce = node.policies().current().policy();
    return bodies
        .object(request, MAX_BYTES, INVALID, body -> {
          Asked asked = read(body);
          return work.run(() -> replayed(asked, inForce));
        })
        .recover(ReplayDoor::refused)
        .compose(json -> request.answer(200, json));
  }

  /** @param policy the text of a draft */
  private record Asked(String log, Optional<String> policy, LineFormat format) {}

  private static Asked read(JsonObject body) {
    List<String> mistakes = new ArrayList<>(0);
    body.fieldNames().stream()
        .filter(name -> !FIELDS.contains(name))
        .forEach(name -> mistakes.add(
            "%s: no such field (expected: %s)".formatted(name, String.join(", ", FIELDS))));
    String log = body.getValue(LOG) instanceof String text ? text : "";
    if (log.isEmpty()) {
      mistakes.add("log: (expected: lines)");
    }
    Object policy = body.getValue(POLICY);
    if (policy != null && !(policy instanceof String)) {
      mistakes.add("policy: (expected: a policy as text)");
    }
    Object format = body.getValue(FORMAT, "common");
    if (!format.equals("common") && !format.equals("json")) {
      mistakes.add("format: (expected: common or json)");
    }
    if (!mistakes.isEmpty()) {
      throw OperatorBodies.invalid(INVALID, mistakes);
    }
    return new Asked(
        log,
        Optional.ofNullable((String) policy),
        format.equals("json") ? new JsonLines(Map.of()) : new CommonLines(false));
  }

  private static JsonObject replayed(Asked asked, Policy inForce) {
    List<NamedPolicy> policies = new ArrayList<>();
    policies.add(new NamedPolicy("in force", inForce));
    asked
        .policy()
        .map(text -> PolicyDocuments.parse("draft", text).policy())
        .ifPresent(draft -> policies.add(new NamedPolicy("draft", draft)));
    Replay replay = new Replay(asked.format(), Optional.empty(), policies);
    asked.log().lines().forEach(replay::add);
    replay.end();
    return new ReplayReport(replay, ROWS).toJson();
  }

  private static Future<JsonObject> refused(Throwable error) {
    return Future.failedFuture(
        Failures.cause(error) instanceof InvalidPolicyException invalid
            ? new RefusedException(PolicyProblems.refusal(invalid))
            : error);
  }
}
