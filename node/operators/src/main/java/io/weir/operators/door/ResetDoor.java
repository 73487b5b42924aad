package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.Subject;
import io.weir.node.admin.OperatorAudit;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.OperatorWork;
import io.weir.node.auth.Operator;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.resp.limit.RequestLimit;
import io.weir.node.resp.limit.RequestLimits;
import io.weir.operators.explain.Explainer;
import io.weir.operators.steer.RedisReset;
import io.weir.operators.steer.RedisReset.Forgotten;
import io.weir.operators.steer.RedisReset.What;
import io.weir.operators.steer.ResetRequest;
import io.weir.state.audit.RedisAudit;
import io.weir.state.wire.RedisKeys;
import java.util.List;

/** {@code POST /v1/reset}: forgets what a key or a tenant has used, for operators of the whole cluster. */
public final class ResetDoor implements Door {
  private static final int MAX_BYTES = 16 << 10;
  private static final String DRY_RUN = "dryRun";
  private static final int MOST_AUDITED = 20;

  private final OperatorWork work;
  private final NodeParts node;
  private final OperatorBodies bodies;
  private final RedisReset resets;
  private final OperatorAudit audit;

  /** A door of one event loop. */
  public ResetDoor(Vertx vertx, NodeParts node) {
    this.work = new OperatorWork(vertx);
    this.node = node;
    this.bodies = new OperatorBodies(vertx, node.memory());
    this.resets = new RedisReset(node.redis());
    this.audit = new OperatorAudit(work, new RedisAudit(node.redis()));
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.post("/v1/reset", this::reset).withQuery(DRY_RUN));
  }

  // A reset lifts a limit, so an operator of one tenant may not do it.
  private Future<Void> reset(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Operator.Scope.KEYS);
    boolean isDryRun = QueryParameters.flag(request.http(), DRY_RUN);
    return bodies
        .object(request, MAX_BYTES, ResetRequest.INVALID)
        .map(ResetRequest::read)
        .compose(asked -> target(asked, operator))
        .compose(target -> work.of(resets.reset(target.state(), target.what(), isDryRun))
            .compose(forgotten -> isDryRun || forgotten.isEmpty()
                ? Future.succeededFuture(forgotten)
                : audited(operator, target, forgotten).map(forgotten)))
        .compose(forgotten -> request.answer(
            200, new JsonObject().put("reset", json(forgotten)).put(DRY_RUN, isDryRun)));
  }

  /** @param name for the audit */
  private record Target(String name, String state, What what) {}

  private Future<Target> target(ResetRequest asked, Operator operator) {
    if (asked.tenant().isPresent()) {
      String tenant = asked.tenant().get();
      What what =
          asked.of(Scope.TENANT, node.policies().current().policy().plans().values(), List.of());
      return Future.succeededFuture(new Target("tenant:" + tenant, RedisKeys.tenant(tenant), what));
    }
    String name = asked.key().orElseThrow();
    return node.identities().namedByOperator(name, operator).map(found -> {
      Subject subject = found.orElseThrow(() -> Explainer.unknown(name));
      return new Target(
          "key:" + subject.id(),
          RedisKeys.key(subject.tenant(), subject.id()),
          asked.of(Scope.KEY, List.of(subject.plan()), carried(subject)));
    });
  }

  private List<String> carried(Subject subject) {
    return RequestLimits.of(node.policies().current().policy()).isTakenBy(subject.plan())
        ? List.of(RequestLimit.BUCKET)
        : List.of();
  }

  private Future<Void> audited(Operator operator, Target target, List<Forgotten> forgotten) {
    List<Forgotten> first = forgotten.stream().limit(MOST_AUDITED).toList();
    return audit.add(
        operator,
        "reset",
        target.name(),
        "",
        new JsonObject().put("reset", json(first)).encode());
  }

  private static JsonArray json(List<Forgotten> forgotten) {
    return new JsonArray(forgotten.stream().map(ResetDoor::json).toList());
  }

  private static JsonObject json(Forgotten one) {
    JsonObject json = new JsonObject().put("kind", one.kind());
    if (!one.name().isEmpty()) {
      json.put("limit", one.name());
    }
    return switch (one.kind()) {
      case "rate" -> json.put("emptyInMs", (one.number() + 999) / 1000);
      case "quota" -> json.put("used", one.number());
      default -> json.put("waiting", one.number());
    };
  }
}
