package io.weir.state.redis;

import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisCluster;
import io.weir.throttle.BucketStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, on a Redis Cluster of three masters with a replica each. */
final class ClusterRedisBucketStoreIT extends BucketStoreContract {
  private static RedisCluster cluster;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 1);
    connections = RedisConnections.open(cluster.uri(), Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    connections.close();
    cluster.close();
  }

  @Override
  protected boolean hasClusterBuckets() {
    return false;
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
