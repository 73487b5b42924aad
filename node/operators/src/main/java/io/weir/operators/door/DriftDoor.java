package io.weir.operators.door;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.Policy;
import io.weir.node.admin.OperatorAudit;
import io.weir.node.admin.OperatorBodies;
import io.weir.node.admin.OperatorWork;
import io.weir.node.auth.Operator;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.state.audit.Drift;
import io.weir.state.audit.DriftCheck;
import io.weir.state.audit.DriftCheck.Comparison;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * {@code /v1/drift}: compares numbers in Redis with the items that they stand for, and repairs them; for operators of the
 * whole cluster.
 */
public final class DriftDoor implements Door {
  private static final String PATH = "/v1/drift";
  private static final String ENTRIES = "entries";
  private static final int MAX_BYTES = 1 << 10;
  private static final int USUAL_ENTRIES = 2000;
  private static final int MOST_ENTRIES = 100_000;
  private static final int MOST_AUDITED = 20;

  private final OperatorWork work;
  private final NodeParts node;
  private final OperatorBodies bodies;
  private final RedisConnections redis;
  private final List<DriftCheck> checks;
  private final OperatorAudit audit;

  /**
   * A door of one event loop.
   *
   * @param redis connections for calls that take longer than decisions
   */
  public DriftDoor(Vertx vertx, NodeParts node, RedisConnections redis, List<DriftCheck> checks) {
    this.work = new OperatorWork(vertx);
    this.node = node;
    this.bodies = new OperatorBodies(vertx, node.memory());
    this.redis = redis;
    this.checks = List.copyOf(checks);
    this.audit = new OperatorAudit(work, new RedisAudit(node.redis()));
  }

  @Override
  public List<Route> routes() {
    return List.of(
        Route.get(PATH, this::look).withQuery(ENTRIES),
        Route.post(PATH, this::repair).withQuery(ENTRIES));
  }

  private Future<Void> look(RoutedRequest request) {
    node.operators().require(request.http(), Scope.READ);
    List<Comparison> found = new ArrayList<>();
    return all(entries(request), false, found)
        .compose(done -> request.answer(200, json(found, false)));
  }

  private Future<Void> repair(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Scope.ALL);
    int entries = entries(request);
    List<Comparison> found = new ArrayList<>();
    return bodies
        .object(request, MAX_BYTES, "drift_invalid")
        // Repairs before a failure are in the audit, too.
        .compose(empty -> all(entries, true, found).eventually(() -> audited(operator, found)))
        .compose(done -> request.answer(200, json(found, true)));
  }

  private static int entries(RoutedRequest request) {
    Map<String, String> asked = QueryParameters.values(request.http(), Set.of(ENTRIES));
    return QueryParameters.number(asked, ENTRIES, USUAL_ENTRIES, 1, MOST_ENTRIES);
  }

  // One after the other: Redis serves decisions between two of them.
  private Future<Void> all(int entries, boolean isRepair, List<Comparison> found) {
    Policy policy = node.policies().current().policy();
    Future<Void> done = Future.succeededFuture();
    for (DriftCheck check : checks) {
      for (var thing : new TreeMap<>(check.things().apply(policy)).entrySet()) {
        done = done.compose(before ->
                work.of(check.compare(redis, thing.getKey(), thing.getValue(), entries, isRepair)))
            .onSuccess(found::add)
            .mapEmpty();
      }
    }
    return done;
  }

  private Future<Void> audited(Operator operator, List<Comparison> all) {
    List<Future<Void>> lines = all.stream()
        .filter(one -> !one.drifts().isEmpty())
        .map(one -> audit.add(
            operator,
            "repair",
            one.kind() + ":" + one.name(),
            "",
            new JsonObject().put("drift", drifts(one, MOST_AUDITED)).encode()))
        .toList();
    return Future.all(lines).mapEmpty();
  }

  private static JsonObject json(List<Comparison> all, boolean isRepair) {
    return new JsonObject()
        .put("repaired", isRepair)
        .put("things", new JsonArray(all.stream().map(DriftDoor::json).toList()));
  }

  private static JsonObject json(Comparison one) {
    return new JsonObject()
        .put("kind", one.kind())
        .put("name", one.name())
        .put(ENTRIES, one.size())
        .put("compared", one.isCompared())
        .put("drift", drifts(one, Integer.MAX_VALUE));
  }

  private static JsonArray drifts(Comparison one, int most) {
    return new JsonArray(one.drifts().stream().limit(most).map(DriftDoor::json).toList());
  }

  private static JsonObject json(Drift drift) {
    return new JsonObject()
        .put("place", drift.place())
        .put("counted", drift.counted())
        .put("found", drift.found());
  }
}
