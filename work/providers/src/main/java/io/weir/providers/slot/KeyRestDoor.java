package io.weir.providers.slot;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.OperationUpstream;
import io.weir.core.policy.Policy;
import io.weir.node.admin.OperatorAudit;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator;
import io.weir.node.extension.NodeParts;
import io.weir.node.intake.Area;
import io.weir.node.intake.Door;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import io.weir.providers.rule.Providers;
import io.weir.providers.rule.Upstreams;
import io.weir.providers.store.RedisProviders;
import io.weir.state.audit.RedisAudit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code DELETE /v1/upstreams/{upstream}/rests/{provider}/{key}}: all nodes use a key of a provider again that was left
 * alone, for operators of the whole cluster.
 */
public final class KeyRestDoor implements Door {
  private static final String PATH = "/v1/upstreams";
  private static final ProblemDetails UNKNOWN = ProblemDetails.of(
      404,
      "upstream_unknown",
      "The policy has no such upstream, or no such key of a provider of it");

  private final OperatorWork work;
  private final NodeParts node;
  private final RedisProviders store;
  private final KeyRests rests;
  private final OperatorAudit audit;

  /** A door of one event loop. */
  public KeyRestDoor(Vertx vertx, NodeParts node, RedisProviders store, KeyRests rests) {
    this.work = new OperatorWork(vertx);
    this.node = node;
    this.store = store;
    this.rests = rests;
    this.audit = new OperatorAudit(work, new RedisAudit(node.redis()));
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.delete(PATH + "/{upstream}/rests/{provider}/{key}", this::end));
  }

  @Override
  public Optional<Area> area() {
    return Optional.of(Area.of(PATH + "/", Map.of(), UNKNOWN).checkedBy(node.operators()::of));
  }

  private Future<Void> end(RoutedRequest request) {
    Operator operator = node.operators().require(request.http(), Operator.Scope.ALL);
    String name = request.parameter("upstream");
    String provider = request.parameter("provider");
    String key = request.parameter("key");
    Policy policy = node.policies().current().policy();
    Providers upstream = Optional.ofNullable(Upstreams.of(policy).get(name))
        .filter(
            known -> known.named(provider).stream().anyMatch(one -> one.slots().contains(key)))
        .orElseThrow(() -> new RefusedException(UNKNOWN));
    List<String> scopes = scopes(policy, key);
    scopes.forEach(scope -> rests.forget(new KeyRests.Key(name, provider, scope)));
    return work.of(store.endRests(upstream.name(), provider, scopes))
        .compose(ended -> ended == 0
            ? Future.succeededFuture(false)
            : audit
                .add(
                    operator,
                    "rest ended",
                    "provider-key:%s/%s/%s".formatted(name, provider, key),
                    "",
                    "")
                .map(true))
        .compose(ended -> request.answer(200, new JsonObject().put("rested", ended)));
  }

  // A key may rest for all requests, or for those of a group.
  private static List<String> scopes(Policy policy, String key) {
    Stream<String> groups = policy.routing().rules().stream()
        .flatMap(rule -> OperationUpstream.of(rule).group().all().stream())
        .distinct()
        .map(group -> key + "/" + group);
    return Stream.concat(Stream.of(key), groups).toList();
  }
}
