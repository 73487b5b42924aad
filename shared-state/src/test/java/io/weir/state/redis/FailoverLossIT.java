package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.Hold;
import io.weir.core.kind.Kind;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A replica that takes the place of its master forgets the decisions since the master's data reached it last. With
 * {@code -Dweir.write=true} this test writes the table that users read.
 */
@Tag("faults")
final class FailoverLossIT {
  private static final Path TABLE = Path.of("../docs/explanation/outages.md");
  private static final String BEGIN = "| Replica behind by |";
  private static final String END = "<!-- end of the table -->";
  private static final Duration PACE = Duration.ofMillis(1);
  private static final Duration BEFORE = Duration.ofSeconds(1);
  private static final Map<String, String> ROWS = new TreeMap<>();
  private static final Bucket BUCKET = new Bucket("day", Scope.KEY, 100, 86_400_000);

  private RedisProcess master;
  private RedisProcess replica;
  private FaultProxy network;
  private int sent;

  @BeforeEach
  void start() {
    master = RedisProcess.start();
    master.ask("CONFIG SET repl-diskless-sync-delay 0");
    network = FaultProxy.before(master.port());
    replica = RedisProcess.start();
    replica.ask("REPLICAOF 127.0.0.1 " + network.port());
    awaitReplica("begin");
  }

  private void awaitReplica(String key) {
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      master.ask("SET " + key + " 1");
      return replica.ask("EXISTS " + key).contains("1");
    });
  }

  @AfterEach
  void stop() {
    network.close();
    replica.close();
    master.close();
  }

  static Stream<Arguments> cases() {
    return Stream.of(0, 10, 100, 1000)
        .flatMap(lag -> Stream.of(0, 1).map(wait -> Arguments.of(lag, wait)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void onlyDecisionsSinceTheReplicaWasBehindAreForgotten(int lagMillis, int waitReplicas) {
    int known;
    try (RedisConnections connections = RedisConnections.open(
        master.uri() + "/0?waitReplicas=" + waitReplicas, Duration.ofSeconds(5))) {
      RedisBucketStore store = RedisBucketStore.of(connections, () -> false);
      admitFor(store, BEFORE);
      awaitReplica("before");
      known = sent;
      network.stall(lagMillis > 0);
      admitFor(store, lagMillis > 0 ? Duration.ofMillis(lagMillis) : BEFORE);
      network.refuse(true);
      master.kill();
    }
    replica.ask("REPLICAOF NO ONE");
    try (RedisConnections connections =
        RedisConnections.open(replica.uri(), Duration.ofMinutes(1))) {
      Allowed after = admit(RedisBucketStore.of(connections, () -> false));
      long lost = sent - used(after, Kind.QUOTA);
      // A decision is one step: all of its kinds are forgotten, or none.
      assertThat(used(after, Kind.RATE)).isBetween(1L, sent - lost); // it drains
      assertThat(used(after, Kind.PERMIT)).isEqualTo(sent - lost);
      assertThat(connections.sync().zcard("weir:holds")).isEqualTo(sent - lost);
      assertThat(lost).isBetween(0L, sent - 1L - known);
      ROWS.put(
          "%4d %d".formatted(lagMillis, waitReplicas),
          "| %d ms | %s | %d | %d |"
              .formatted(lagMillis, waitReplicas == 1 ? "yes" : "no", sent - 1 - known, lost));
    }
  }

  private static long used(Allowed decision, Kind kind) {
    return decision.limits().stream()
        .filter(limit -> limit.kind() == kind)
        .mapToLong(limit -> limit.quota() - limit.remaining())
        .sum();
  }

  private void admitFor(RedisBucketStore store, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      admit(store);
      RealTime.pass(PACE);
    }
  }

  // A rate that drains one operation in ten seconds, a quota, a permit and a reservation.
  private Allowed admit(RedisBucketStore store) {
    Extras extras = new Extras(
        List.of(
            new Quota(
                "month",
                Scope.KEY,
                1_000_000,
                new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 31),
                false,
                80,
                false,
                false),
            new Permits("streams", Scope.KEY, 100_000, 3_600_000_000L)),
        Optional.of(new Hold("hold%018d".formatted(sent++), 3_600_000_000L, true, true)));
    Charge charge = new Charge(
        "acme",
        "k1",
        1,
        new Amount(List.of(Demand.of(BUCKET)), 1, extras),
        Queueing.NONE,
        FailureMode.DENY);
    return (Allowed) ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  @AfterAll
  static void writeTheTable() throws IOException {
    String rows = ROWS.values().stream().collect(Collectors.joining("\n"));
    System.out.println(rows);
    if (Boolean.getBoolean("weir.write")) {
      String document = Files.readString(TABLE);
      String table =
          BEGIN + " `WAIT` | Admitted meanwhile | Forgotten |\n|---|---|---|---|\n" + rows + "\n\n";
      Files.writeString(
          TABLE,
          document.substring(0, document.indexOf(BEGIN))
              + table
              + document.substring(document.indexOf(END)));
    }
  }
}
