package io.weir.windows;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.weir.node.loop.LoopTime;
import io.weir.state.keep.LeaseTerms;
import io.weir.state.keep.RetriedCalls;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Claims with an unknown outcome, as the shared state did not answer in time: they are taken back once it answers,
 * unless their leases have expired. Mutable; owned by its event loop.
 */
final class UnansweredClaims {
  private static final int AT_ONCE = 100;
  /** For each window; further claims end with their leases. */
  private static final int MOST = 1000;

  private final Context context;
  private final WindowStore store;
  private final RetriedCalls ends;
  private final Map<WindowRule, Integer> unanswered = new HashMap<>();
  private final Map<WindowRule, Batch> next = new HashMap<>();

  private record Batch(List<String> ids, Promise<Void> over) {}

  UnansweredClaims(Vertx vertx, Context context, WindowStore store) {
    this.context = context;
    this.store = store;
    this.ends = new RetriedCalls(LeaseTerms.RANGE, new LoopTime(vertx), error -> true);
  }

  /** Adds a claim. */
  void add(WindowRule rule, String id) {
    if (unanswered.getOrDefault(rule, 0) < MOST) {
      unanswered.merge(rule, 1, Integer::sum);
      Future.fromCompletionStage(
              ends.callAgain(() -> takeBack(rule, id).toCompletionStage(), rule.leaseMicros()))
          .onComplete(end ->
              unanswered.computeIfPresent(rule, (of, count) -> count == 1 ? null : count - 1));
    }
  }

  private Future<Void> takeBack(WindowRule rule, String id) {
    Batch batch = next.computeIfAbsent(rule, this::begin);
    batch.ids().add(id);
    if (batch.ids().size() == AT_ONCE) {
      next.remove(rule);
    }
    return batch.over().future();
  }

  // All claims whose pauses end at the same time go with one call.
  private Batch begin(WindowRule rule) {
    Batch batch = new Batch(new ArrayList<>(), Promise.promise());
    context.runOnContext(now -> {
      next.remove(rule, batch);
      Future.fromCompletionStage(store.takeBack(rule, batch.ids()), context)
          .<Void>mapEmpty()
          .onComplete(batch.over());
    });
    return batch;
  }
}
