package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions lost with a killed master, with and without waiting for its replica. */
final class WaitReplicasIT {
  // One operation drains in an hour: used units stay.
  private static final Bucket BUCKET = new Bucket("requests", Scope.KEY, 1, 9_000_000_000L);
  private static final List<Demand> DEMANDS =
      List.of(new Demand(BUCKET, BUCKET.unitsPerOperation() / 1000));
  private static final int SEQUENTIAL = 500;

  private RedisProcess master;
  private RedisProcess replica;

  @BeforeEach
  void start() {
    master = RedisProcess.start();
    master.ask("CONFIG SET repl-diskless-sync-delay 0");
    replica = RedisProcess.start();
    replica.ask("REPLICAOF 127.0.0.1 " + master.port());
    // A replica is online before it receives data: written data has to arrive first.
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      master.ask("SET known 1");
      return replica.ask("EXISTS known").contains("1");
    });
  }

  @AfterEach
  void stop() {
    replica.ask("REPLICAOF NO ONE");
    replica.close();
    master.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 0})
  void fewAdmissionsAreLostWithAKilledMaster(int waitReplicas) {
    try (RedisConnections connections = open(waitReplicas)) {
      RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
      oneAfterAnother(store); // loads first
      long micros = oneAfterAnother(store) / SEQUENTIAL;
      AtomicLong admitted = new AtomicLong(2 * SEQUENTIAL);
      CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> {
        await().atMost(Duration.ofMinutes(1)).until(() -> admitted.get() > 20_000);
        master.kill();
      });
      while (!killed.isDone()) {
        CompletableFuture<?>[] some = new CompletableFuture<?>[64];
        for (int i = 0; i < some.length; i++) {
          some[i] = store
              .tryCharge(charge())
              .handle((answer, error) ->
                  error == null && isAllowed(answer) ? admitted.incrementAndGet() : 0)
              .toCompletableFuture();
        }
        CompletableFuture.allOf(some).join();
      }
      replica.ask("REPLICAOF NO ONE");
      long forgotten = admitted.get() - usedOf(replica);
      System.out.printf(
          "waitReplicas=%d: a decision takes %d µs, of %d a killed master's replica did not know %d%n",
          waitReplicas, micros, admitted.get(), Math.max(0, forgotten));
      // The calls in flight: four of 256 charges; with the option, the charges that waited 20 ms in
      // vain.
      assertThat(forgotten).isLessThanOrEqualTo(waitReplicas == 0 ? 1024 : 64);
    }
  }

  private static long oneAfterAnother(RedisBucketStore store) {
    long begin = System.nanoTime();
    for (int i = 0; i < SEQUENTIAL; i++) {
      assertThat(isAllowed(store.tryCharge(charge()).toCompletableFuture().join()))
          .isTrue();
    }
    return (System.nanoTime() - begin) / 1000;
  }

  @Test
  void aReplicaThatHangsDelaysADecisionAndFailsNone() {
    try (RedisConnections connections = open(1)) {
      RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
      replica.pause();
      for (int i = 0; i < 10; i++) {
        assertThat(isAllowed(store.tryCharge(charge()).toCompletableFuture().join()))
            .isTrue();
      }
      assertThat(master.ask("INFO commandstats")).contains("cmdstat_wait");
    } finally {
      replica.resume();
    }
  }

  private RedisConnections open(int waitReplicas) {
    return RedisConnections.open(
        master.uri() + "/0?waitReplicas=" + waitReplicas, Duration.ofSeconds(5));
  }

  private static long usedOf(RedisProcess server) {
    try (RedisConnections connections =
        RedisConnections.open(server.uri(), Duration.ofMinutes(1))) {
      Map<String, String> fields = States.show(connections.sync(), RedisKeys.key("acme", "k1"));
      // A part of an operation has drained.
      long unit = DEMANDS.get(0).unitsPerOperation();
      return (Long.parseLong(fields.get("requests@1/1000000000")) + unit - 1) / unit;
    }
  }

  private static boolean isAllowed(StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  private static Charge charge() {
    return new Charge("acme", "k1", 1, DEMANDS, 1);
  }
}
