package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Scope;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Permits;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.DocumentedUser;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.Histories;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisCluster;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contracts and the generated histories, on one Redis Cluster of three masters. */
final class ClusterStoresIT {
  private static RedisCluster cluster;
  // As the user of the documentation.
  private static RedisConnections connections;

  @BeforeAll
  static void start() throws IOException {
    cluster = RedisCluster.start(3, 0);
    boolean hasRights = !cluster.nodes().get(0).ask("INFO server").contains("redis_version:6.");
    if (hasRights) {
      for (RedisProcess node : cluster.nodes()) {
        node.ask("ACL " + DocumentedUser.arguments());
      }
    }
    String uri =
        hasRights ? cluster.uri().replace("://", "://weir:a-long-password@") : cluster.uri();
    connections = RedisConnections.open(uri, Duration.ofMinutes(1));
  }

  @AfterAll
  static void stop() {
    connections.close();
    cluster.close();
  }

  private static void flush() {
    cluster.nodes().forEach(node -> node.ask("FLUSHALL"));
  }

  @Nested
  final class Buckets extends BucketStoreContract {
    @Override
    protected boolean hasClusterBuckets() {
      return false;
    }

    @Override
    protected BucketStore emptyStore(ManualClock clock) {
      flush();
      return RedisBucketStore.rehearsing(connections, clock);
    }
  }

  @Nested
  final class Joint extends JointContract {
    @Override
    RedisBucketStore emptyStore(ManualClock manual) {
      flush();
      return RedisBucketStore.rehearsing(connections, manual);
    }
  }

  @Nested
  final class Kinds extends KindsContract {
    @Override
    protected Stores emptyStores(ManualClock clock) {
      flush();
      return new Stores(
          RedisBucketStore.rehearsing(connections, clock),
          new RedisHolds(connections, StoreClock.of(clock)));
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

  @Nested
  @Tag("engine")
  final class Scenarios extends ScenariosContract {
    Scenarios() {
      super(Histories.count(1, 2), 600, false);
    }

    @BeforeAll
    void connect() {
      connect(cluster.uri(), cluster.uri());
    }

    @Override
    BucketStore reference(ManualClock clock) {
      return new ClusterReference(super.reference(clock));
    }
  }
}
