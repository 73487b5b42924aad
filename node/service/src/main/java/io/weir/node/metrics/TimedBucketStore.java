package io.weir.node.metrics;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Stages;
import io.weir.core.throttle.StoreAnswer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Times the calls of another store; an answer that the store knows without a call is not timed. */
public final class TimedBucketStore implements BucketStore {
  private final BucketStore store;
  private final NodeMetrics metrics;

  public TimedBucketStore(BucketStore store, NodeMetrics metrics) {
    this.store = store;
    this.metrics = metrics;
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    return timed(store::tryCharge, charge);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    return timed(store::peek, charge);
  }

  @Override
  public Optional<Decision> foreseen(Charge charge) {
    return store.foreseen(charge);
  }

  private CompletionStage<StoreAnswer> timed(
      Function<Charge, CompletionStage<StoreAnswer>> question, Charge charge) {
    NodeMetrics.StoreTimer timer = metrics.startStoreTimer();
    CompletableFuture<StoreAnswer> asked = question.apply(charge).toCompletableFuture();
    if (Stages.isKnown(asked)) { // the node knew it: nothing was called
      report(asked.join());
      return asked;
    }
    return asked.whenComplete((answer, error) -> {
      timer.stop(error == null);
      report(answer);
    });
  }

  private void report(@Nullable StoreAnswer answer) {
    if (answer instanceof StoreAnswer.Decided decided) {
      metrics.queue(decided.report());
    }
  }
}
