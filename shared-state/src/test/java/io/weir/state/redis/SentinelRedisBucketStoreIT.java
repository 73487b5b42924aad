package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisSentinels;
import io.weir.testkit.TransportFacts;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract, on a master managed by a Sentinel. */
@TransportFacts
@Tag("engine")
final class SentinelRedisBucketStoreIT extends BucketStoreContract {
  private static RedisSentinels sentinels;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    sentinels = RedisSentinels.start(1);
    connections = RedisConnections.open(sentinels.uri(), Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    connections.close();
    sentinels.close();
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
