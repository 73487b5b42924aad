package io.weir.state.redis;

import io.weir.testkit.Histories;
import io.weir.testkit.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The generated histories, on a Redis Cluster. */
@Tag("engine")
final class ClusterScenariosIT extends ScenariosContract {
  private RedisCluster cluster;

  ClusterScenariosIT() {
    super(Histories.count(1, 2), 600, false);
  }

  @BeforeAll
  void start() {
    cluster = RedisCluster.shared();
    connect(cluster.uri(), cluster.uri());
  }

  @AfterAll
  void stop() {
    cluster.close();
  }
}
