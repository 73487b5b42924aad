package io.weir.node;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import java.util.List;

/** Questions before the first callers: their decisions would load classes and scripts, and miss the timeout. */
final class WarmUp {
  private static final int QUESTIONS = 500;

  private WarmUp() {}

  /** Asks a store. A failure is ignored: the first decisions report it. */
  static void of(BucketStore store) {
    Bucket bucket = new Bucket("warm-up", Scope.KEY, 1000, 1000);
    List<Demand> demands = List.of(Demand.of(bucket));
    Charge question = new Charge("warm-up", "warm-up", Long.MAX_VALUE >> 11, demands, 1);
    for (int i = 0; i < QUESTIONS; i++) {
      store
          .peek(question)
          .handle((answer, error) -> error == null)
          .toCompletableFuture()
          .join();
    }
  }
}
