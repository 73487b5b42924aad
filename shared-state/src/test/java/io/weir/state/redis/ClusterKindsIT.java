package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract of kinds, on a Redis Cluster. */
final class ClusterKindsIT extends KindsContract {
  private static RedisCluster cluster;
  private static RedisConnections connections;

  @BeforeAll
  static void start() throws InterruptedException {
    cluster = RedisCluster.shared();
    connections = RedisConnections.open(cluster.uri(), Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    connections.close();
    cluster.close();
  }

  @Override
  protected Stores emptyStores(ManualClock clock) {
    connections.sync().flushall();
    return new Stores(
        RedisBucketStore.rehearsing(connections, clock), RedisHolds.rehearsing(connections, clock));
  }

  @Test
  void permitsOfScopeClusterAreRefused() {
    Charge charge = new Charge(
        "acme",
        "k1",
        1,
        new Amount(
            List.of(),
            1,
            new Extras(
                List.of(new Permits("all", Scope.CLUSTER, 1, 1_000_000)),
                Optional.of(new Hold("h", 1_000_000, false, false)))),
        Queueing.NONE,
        FailureMode.DENY);
    RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
    assertThatThrownBy(() -> store.tryCharge(charge).toCompletableFuture().join())
        .cause()
        .isInstanceOf(StoreUnavailableException.class)
        .extracting("fault")
        .isEqualTo(StoreFault.MISCONFIGURED);
  }
}
