package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.CrowdedStore;
import io.weir.testkit.ManualClock;
import io.weir.testkit.TransportFacts;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, through batches of every size. */
@ExtendWith(RedisFixture.class)
@TransportFacts
@Tag("engine")
final class CrowdedRedisBucketStoreIT extends BucketStoreContract {
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return new CrowdedStore(
        RedisBucketStore.rehearsing(connections, clock),
        connections.links().get(0).eventLoop(),
        130);
  }
}
