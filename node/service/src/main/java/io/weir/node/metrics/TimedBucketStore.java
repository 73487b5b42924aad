package io.weir.node.metrics;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Times the calls of another store. */
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
    return question.apply(charge).whenComplete((answer, error) -> {
      timer.stop(error == null);
      if (answer instanceof StoreAnswer.Decided decided) {
        metrics.queue(decided.report());
      }
    });
  }
}
