package io.weir.batch;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A running batch: executes one item after the other, until one is not executed. Mutable; owned by its request. */
final class BatchRun {
  /** The header with the number of executed items. */
  static final String EXECUTED = "Weir-Executed";

  /** Shorter than the idle timeout of a connection; the client sends the rest again. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private static final long MAX_ANSWER_BYTES = 4 << 20;

  private final BatchRequest batch;
  private final ItemExecutor executor;
  private final BooleanSupplier isGone;
  private final List<Result> results;
  private final long begunNanos = System.nanoTime();
  private boolean isAdmitted;
  private long answerBytes;

  /** @param isGone whether the caller has hung up */
  BatchRun(BatchRequest batch, ItemExecutor executor, BooleanSupplier isGone) {
    this.batch = batch;
    this.executor = executor;
    this.isGone = isGone;
    this.results = new ArrayList<>(batch.earlier());
    this.answerBytes =
        results.stream().mapToLong(result -> result.json().length()).sum();
  }

  /**
   * The end of a batch.
   *
   * @param status 200 if nothing has to be sent again; otherwise the headers tell why and when, as for a single request
   * @param headers of the answer
   * @param results one for each item
   */
  record End(int status, MultiMap headers, int executed, List<Result> results) {}

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
      Done pause = Done.unavailable("batch_too_long", Duration.ofMillis(1));
      return Future.succeededFuture(end(pause.status(), pause.headers()));
    }
    return executor
        .execute(next, batch.items().get(next), List.copyOf(results), isFirst, isAdmitted)
        .compose(this::followed);
  }

  private Future<End> followed(Done done) {
    results.add(bounded(done.result()));
    isAdmitted |= done.isAdmitted();
    return done.result().isExecuted()
        ? rest()
        : Future.succeededFuture(end(done.status(), done.headers()));
  }

  // So that the batch can be sent again together with its answer.
  private Result bounded(Result result) {
    answerBytes += result.json().length();
    return answerBytes > MAX_ANSWER_BYTES ? result.withoutBody() : result;
  }

  // The caller's own results of earlier items are no proof that they were admitted: the store is
  // asked.
  private Future<Boolean> wasAdmitted() {
    int before = batch.earlier().size() - 1;
    return before < 0 || before + 1 == batch.items().size()
        ? Future.succeededFuture(false)
        : executor.isKept(before, batch.items().get(before));
  }

  private End end(int status, MultiMap headers) {
    int executed = (int) results.stream().filter(Result::isExecuted).count();
    List<Result> all = new ArrayList<>(results);
    while (all.size() < batch.items().size()) {
      all.add(Result.NOT_ATTEMPTED);
    }
    return new End(status, headers, executed, all);
  }
}
