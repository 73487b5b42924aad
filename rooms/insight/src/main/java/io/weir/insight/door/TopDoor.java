package io.weir.insight.door;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.insight.top.Best;
import io.weir.insight.top.Counts;
import io.weir.insight.top.LimitName;
import io.weir.insight.top.LoopCounts;
import io.weir.insight.top.RedisTop;
import io.weir.insight.top.SubjectName;
import io.weir.insight.top.Tops;
import io.weir.node.admin.OperatorWork;
import io.weir.node.admin.Operators;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.Operator.Scope;
import io.weir.node.intake.Door;
import io.weir.node.intake.QueryParameters;
import io.weir.node.intake.Route;
import io.weir.node.intake.RoutedRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** {@code GET /v1/top}: who was denied most in the last minute, and who was nearly denied, for operators. */
public final class TopDoor implements Door {
  /** Each node tells as many; further ones are below the bounds. */
  public static final int MOST = 32;

  private final OperatorWork work;
  private final Context loop;
  private final Operators operators;
  private final RedisTop top;

  /** A door of one event loop. */
  public TopDoor(Vertx vertx, Operators operators, RedisTop top) {
    this.work = new OperatorWork(vertx);
    this.loop = vertx.getOrCreateContext();
    this.operators = operators;
    this.top = top;
  }

  @Override
  public List<Route> routes() {
    return List.of(Route.get("/v1/top", this::look).withQuery(Limits.NAME));
  }

  private Future<Void> look(RoutedRequest request) {
    operators.require(request.http(), Scope.READ);
    int most = Limits.of(QueryParameters.values(request.http(), Set.of(Limits.NAME)), MOST);
    return Future.fromCompletionStage(top.look(), loop)
        .recover(error -> Future.failedFuture(RefusedException.of(error)))
        .compose(texts -> work.run(() -> Told.parse(texts, most)))
        .compose(told -> {
          Counts sum = told.sum();
          return request.answer(
              200,
              new JsonObject()
                  .put("seconds", LoopCounts.SECONDS)
                  .put("nodes", told.nodes())
                  .put("denied", json(sum.denied()))
                  .put("near", json(sum.near())));
        });
  }

  private record Told(int nodes, Counts sum) {
    static Told parse(List<String> texts, int most) {
      return new Told(texts.size(), Counts.sum(texts.stream().map(Counts::parse).toList(), most));
    }
  }

  private static JsonObject json(Tops tops) {
    return new JsonObject()
        .put("total", tops.total())
        .put("keys", rows(tops.keys(), TopDoor::key))
        .put("tenants", rows(tops.tenants(), name -> new JsonObject().put("tenant", name)))
        .put("limits", rows(tops.limits(), TopDoor::limit));
  }

  private static JsonObject key(String text) {
    SubjectName name = SubjectName.parse(text);
    return new JsonObject().put("tenant", name.tenant()).put("key", name.id());
  }

  private static JsonObject limit(String text) {
    LimitName name = LimitName.parse(text);
    return new JsonObject()
        .put("plan", name.plan())
        .put("operation", name.operation())
        .put("limit", name.limit());
  }

  private static JsonArray rows(Best best, Function<String, JsonObject> name) {
    return new JsonArray(best.rows().stream()
        .map(
            row -> name.apply(row.name()).put("atLeast", row.atLeast()).put("atMost", row.atMost()))
        .toList());
  }
}
