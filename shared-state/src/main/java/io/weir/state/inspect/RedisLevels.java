package io.weir.state.inspect;

import io.weir.core.bucket.Bucket;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.RedisKeys;
import io.weir.state.wire.StoreClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The levels of buckets of scope {@code cluster}, as the times until they are empty. Reads only. Safe for use by many
 * threads; never blocks. Failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisLevels {
  private final RedisConnections redis;
  private final RedisLibrary limiter;

  public RedisLevels(RedisConnections redis) {
    this.redis = redis;
    this.limiter = RedisLibrary.limiter(redis, StoreClock.REDIS);
  }

  /** Whether nodes hold leases of a bucket, so that {@link #drainMicros(Bucket)} knows its level. */
  public boolean isLeased(Bucket bucket) {
    return bucket.leased() || redis.parts() > 1;
  }

  /**
   * The time until each bucket of scope {@code cluster} that is not leased is empty, by name; an absent one is empty.
   */
  public CompletionStage<Map<String, Long>> drainMicros() {
    return limiter.run("levels", List.of(RedisKeys.CLUSTER), List.of()).thenApply(answer -> {
      Map<String, Long> micros = new HashMap<>();
      for (int i = 0; i < answer.size(); i += 2) {
        micros.put((String) answer.get(i), (Long) answer.get(i + 1));
      }
      return micros;
    });
  }

  /** The time until a leased bucket of scope {@code cluster} is empty, with all leased units counted as used. */
  public CompletionStage<Long> drainMicros(Bucket leased) {
    return limiter
        .run("lease_look", List.of(RedisKeys.pool(leased.name())), List.of())
        .thenApply(answer -> (Long) answer.get(0));
  }
}
