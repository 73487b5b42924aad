package io.weir.operators.top;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.admin.OperatorWork;
import io.weir.node.answer.RefusedException;
import java.util.List;
import java.util.function.Function;

/** The counts of all nodes, as operators read them. Safe for use by many threads. */
public final class TopView {
  /** Each node tells as many; further ones are below the bounds. */
  public static final int MOST = 32;

  private final RedisTop top;

  public TopView(RedisTop top) {
    this.top = top;
  }

  /**
   * Sums the counts of the last minute.
   *
   * @param most how many names are told of each kind
   * @return fails with {@link RefusedException} if Redis is away
   */
  public Future<JsonObject> look(OperatorWork work, int most) {
    return work.of(top.look()).compose(texts -> work.run(() -> view(texts, most)));
  }

  private static JsonObject view(List<String> texts, int most) {
    Counts sum = Counts.sum(texts.stream().map(Counts::parse).toList(), most);
    return new JsonObject()
        .put("seconds", LoopCounts.SECONDS)
        .put("nodes", texts.size())
        .put("denied", json(sum.denied()))
        .put("near", json(sum.near()));
  }

  /** Counts as operators read them. */
  public static JsonObject json(Tops tops) {
    return new JsonObject()
        .put("total", tops.total())
        .put("keys", rows(tops.keys(), TopView::key))
        .put("tenants", rows(tops.tenants(), name -> new JsonObject().put("tenant", name)))
        .put("limits", rows(tops.limits(), TopView::limit));
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
