package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.Histories;
import io.weir.testkit.RedisCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The cost of a decision in Redis does not grow with the number of masters. */
@Tag("engine")
final class ClusterCostIT {
  private static final List<Demand> DEMANDS =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1_000_000, 1000)));
  private static final int TENANTS = 640;
  private static final int IN_FLIGHT = 2000;
  private static final int DECISIONS = 200_000;
  // Machines differ, and other processes use a part of the caches.
  private static final double TOLERANCE = 1.6;
  private static final int ROUNDS = 3;
  // The cost is judged, not how long a busy machine takes for it.
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Test
  void moreMastersMakeNoDecisionDearer() throws InterruptedException {
    assumeTrue(Histories.areThorough(), "half a minute of measurements: with -Pthorough");
    double[] least = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
    for (int round = 0; round < ROUNDS && !isWithin(least); round++) {
      for (int masters = 1; masters <= least.length; masters++) {
        least[masters - 1] = Math.min(least[masters - 1], microsPerDecision(masters));
      }
    }
    System.out.printf(
        "a decision costs Redis %.2f µs on one master, %.2f on two, %.2f on three%n",
        least[0], least[1], least[2]);
    assertThat(isWithin(least)).isTrue();
  }

  private static boolean isWithin(double[] least) {
    return least[0] < Double.MAX_VALUE
        && least[1] < least[0] * TOLERANCE
        && least[2] < least[0] * TOLERANCE;
  }

  private static double microsPerDecision(int masters) throws InterruptedException {
    try (RedisCluster cluster = RedisCluster.start(masters, 0);
        RedisConnections connections = RedisConnections.open(cluster.uri(), PATIENCE)) {
      RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
      ask(store); // loads and connects first
      double before = cpuSeconds(cluster);
      ask(store);
      return (cpuSeconds(cluster) - before) * 1e6 / DECISIONS;
    }
  }

  private static void ask(RedisBucketStore store) throws InterruptedException {
    Semaphore room = new Semaphore(IN_FLIGHT);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < DECISIONS; i++) {
      room.acquire();
      Charge charge = new Charge("t" + i % TENANTS, "k" + i % 10_000, 1, DEMANDS, 1);
      CompletionStage<StoreAnswer> unused = store
          .tryCharge(charge)
          .whenComplete((answer, error) -> {
            failure.compareAndSet(null, error);
            room.release();
          });
    }
    room.acquire(IN_FLIGHT);
    assertThat(failure.get()).isNull();
  }

  private static double cpuSeconds(RedisCluster cluster) {
    return cluster.nodes().stream()
        .flatMap(node -> node.ask("INFO cpu").lines())
        .filter(line -> line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
        .sum();
  }
}
