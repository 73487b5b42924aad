package io.weir.node.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A batch under way: one item after the other, until one is not executed. Mutable; owned by its request. */
final class BatchRun {
  /** Shorter than a connection may be idle; whoever wants the rest asks again. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final BatchRequest batch;
  private final Step step;
  private final BooleanSupplier isGone;
  private final List<JsonObject> results;
  private final long begunNanos = System.nanoTime();
  private boolean isAdmitted;

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
    return wasAdmitted().compose(was -> {
      isAdmitted = was;
      return rest();
    });
  }

  private Future<End> rest() {
    int next = results.size();
    if (next == batch.items().size() || isGone.getAsBoolean()) {
      return Future.succeededFuture(end(200, MultiMap.caseInsensitiveMultiMap()));
    }
    boolean isFirst = next == batch.earlier().size();
    if (!isFirst && System.nanoTime() - begunNanos > LONGEST.toNanos()) {
      Step.Done pause = Step.unavailable("batch_too_long", Duration.ofMillis(1));
      return Future.succeededFuture(end(pause.status(), pause.headers()));
    }
    return step.execute(next, batch.items().get(next), List.copyOf(results), isFirst, isAdmitted)
        .compose(this::followed);
  }

  private Future<End> followed(Step.Done done) {
    results.add(done.result());
    isAdmitted |= done.isAdmitted();
    return BatchResult.isExecuted(done.result())
        ? rest()
        : Future.succeededFuture(end(done.status(), done.headers()));
  }

  // What the caller tells of earlier items is not enough to let a later one pass.
  private Future<Boolean> wasAdmitted() {
    int before = batch.earlier().size() - 1;
    return before < 0 || before + 1 == batch.items().size()
        ? Future.succeededFuture(false)
        : step.isKept(before, batch.items().get(before));
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
