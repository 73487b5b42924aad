package io.weir.node.trace;

import io.weir.core.decision.Decision;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Records the calls of the shared state. */
public final class TracedBucketStore implements BucketStore {
  private static final String STEP = "redis fcall";

  private final BucketStore store;
  private final Tracing tracing;

  public TracedBucketStore(BucketStore store, Tracing tracing) {
    this.store = store;
    this.tracing = tracing;
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    return tracing.record(STEP, () -> store.tryCharge(charge), TracedBucketStore::describe);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    return tracing.record(STEP, () -> store.peek(charge), TracedBucketStore::describe);
  }

  @Override
  public Optional<Decision> foreseen(Charge charge) {
    return store.foreseen(charge);
  }

  private static void describe(StoreAnswer answer, Tracing.Attributes attributes) {
    attributes.put("db.system.name", "redis");
    attributes.put("weir.answer", answer.getClass().getSimpleName());
  }
}
