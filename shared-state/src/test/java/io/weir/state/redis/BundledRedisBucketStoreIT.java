package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, on the oldest Redis that Weir supports. */
final class BundledRedisBucketStoreIT extends BucketStoreContract {
  private static EmbeddedRedis redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = EmbeddedRedis.start(EmbeddedRedis.Binary.BUNDLED, 0);
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    connections.close();
    redis.close();
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
