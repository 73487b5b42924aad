package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Stale;
import io.weir.state.wire.RedisKeys;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The reference as a Redis Cluster decides: a partition learns the newest revision from each of its charges, while the
 * reference by itself has one for each state. Mutable; used by one thread.
 */
final class ClusterReference implements BucketStore {
  private final BucketStore store;
  private final Map<String, Long> newestOf = new HashMap<>();

  ClusterReference(BucketStore store) {
    this.store = store;
  }

  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
    long newest = newestOf.merge(partition(charge), charge.revision(), Math::max);
    return newest > charge.revision() ? stale(newest) : store.tryCharge(charge);
  }

  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    long newest = newestOf.getOrDefault(partition(charge), 0L);
    return newest > charge.revision() ? stale(newest) : store.peek(charge);
  }

  private static String partition(Charge charge) {
    String key = RedisKeys.tenant(charge.tenant());
    return key.substring(0, key.indexOf('}'));
  }

  private static CompletionStage<StoreAnswer> stale(long newest) {
    return CompletableFuture.completedFuture(new Stale(newest));
  }
}
