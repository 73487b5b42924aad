package io.weir.node.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A batch under way: one item after the other, until one is not executed. Mutable; owned by its request. */
final class BatchRun {
  private final BatchRequest batch;
  private final Step step;
  private final BooleanSupplier isGone;
  private final List<JsonObject> results;

  /** @param isGone whether nobody waits for the answer any more */
  BatchRun(BatchRequest batch, Step step, BooleanSupplier isGone) {
    this.batch = batch;
    this.step = step;
    this.isGone = isGone;
    this.results = new ArrayList<>(batch.earlier());
  }

  /**
   * How a batch ended.
   *
   * @param status 200 where it need not be asked for again; otherwise when and why is told as of one request
   * @param headers that tell it
   * @param results one for each item
   */
  record End(int status, MultiMap headers, int executed, List<JsonObject> results) {}

  Future<End> run() {
    int next = results.size();
    if (next == batch.items().size() || isGone.getAsBoolean()) {
      return Future.succeededFuture(end(200, MultiMap.caseInsensitiveMultiMap()));
    }
    return step.execute(
            next, batch.items().get(next), List.copyOf(results), batch.earlier().size())
        .compose(done -> {
          results.add(done.result());
          return BatchResult.isExecuted(done.result())
              ? run()
              : Future.succeededFuture(end(done.status(), done.headers()));
        });
  }

  private End end(int status, MultiMap headers) {
    int executed = (int) results.stream().filter(BatchResult::isExecuted).count();
    List<JsonObject> all = new ArrayList<>(results);
    while (all.size() < batch.items().size()) {
      all.add(BatchResult.NOT_ATTEMPTED);
    }
    return new End(status, headers, executed, all);
  }
}
