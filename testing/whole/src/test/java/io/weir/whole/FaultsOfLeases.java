package io.weir.whole;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.degraded.Outages;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.lease.Leases;
import io.weir.state.lease.LeasingStore;
import io.weir.state.lease.RedisLeases;
import io.weir.testkit.RedisCluster;
import java.time.Duration;
import java.util.List;

/** Two holders of leases, of which one ends without notice, like a killed node. */
final class FaultsOfLeases {
  private static final long OPS_PER_SEC = 1000;
  private static final Duration LASTS = Duration.ofSeconds(3);

  private FaultsOfLeases() {}

  private static final class Holder implements AutoCloseable {
    private final RedisConnections connections;
    private final Outages outages;
    private final LeasingStore store;

    Holder(String uri, String name) {
      connections = RedisConnections.open(uri, Duration.ofMillis(500));
      outages = new Outages(connections.parts(), connections::probe);
      Leases leases =
          new Leases(new RedisLeases(connections), name, outages, () -> 2, System::nanoTime);
      store = new LeasingStore(
          RedisBucketStore.of(connections, () -> false),
          leases,
          outages,
          () -> 2,
          System::nanoTime,
          true);
    }

    boolean isAdmitted(Charge charge) {
      Decided decided = (Decided) store.tryCharge(charge).toCompletableFuture().join();
      return decided.decision() instanceof Allowed;
    }

    @Override
    public void close() {
      outages.close();
      connections.close();
    }
  }

  static FaultRow holderGone() {
    Bucket bucket = new Bucket("total", Scope.CLUSTER, OPS_PER_SEC * 1000, 1000);
    List<Demand> demands = List.of(Demand.of(bucket));
    Charge charge = new Charge("acme", "k", 1, demands, 1);
    try (RedisCluster cluster = RedisCluster.start(1, 0);
        Holder stays = new Holder(cluster.uri(), "stays")) {
      int admitted = 0;
      int asked = 0;
      long begin = System.nanoTime();
      try (Holder goes = new Holder(cluster.uri(), "goes")) {
        for (; asked < 300; asked++) {
          admitted += goes.isAdmitted(charge) ? 1 : 0;
        }
      }
      while (System.nanoTime() - begin < LASTS.toNanos()) {
        admitted += stays.isAdmitted(charge) ? 1 : 0;
        asked++;
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      double limit = OPS_PER_SEC * (seconds + bucket.burstMillis() / 1000.0);
      return new FaultRow(-1, 100 * admitted / limit, asked, 0, 0, 0, 0);
    }
  }
}
