package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.DocumentedUser;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisCluster;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, on a Redis Cluster of three masters with a replica each, as the user of the documentation. */
final class ClusterRedisBucketStoreIT extends BucketStoreContract {
  private static RedisCluster cluster;
  private static RedisConnections connections;

  @BeforeAll
  static void start() throws IOException {
    cluster = RedisCluster.shared();
    boolean hasRights = !cluster.nodes().get(0).ask("INFO server").contains("redis_version:6.");
    if (hasRights) {
      for (RedisProcess node : cluster.nodes()) {
        node.ask("ACL " + DocumentedUser.arguments());
      }
    }
    String uri =
        hasRights ? cluster.uri().replace("://", "://weir:a-long-password@") : cluster.uri();
    connections = RedisConnections.open(uri, Duration.ofSeconds(5));
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
    cluster.nodes().forEach(node -> node.ask("FLUSHALL"));
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
