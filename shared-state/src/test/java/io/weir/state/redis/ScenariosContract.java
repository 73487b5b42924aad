package io.weir.state.redis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.throttle.BucketStore;
import io.weir.inmemory.InMemoryBucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.StepType;
import io.weir.testkit.ScenarioRun;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory and Redis agree after every step of generated histories. {@code -Dweir.scenario.steps} sets the number of
 * steps of each. Mutable; owned by JUnit.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ScenariosContract {
  private static final long TWO_TO_53 = 1L << 53;

  private final Map<String, Long> seen = new TreeMap<>();
  private final int seeds;
  private final int steps;
  private final boolean hasClusterBuckets;
  private @Nullable RedisConnections connections;
  private @Nullable RedisConnections admin;

  /** @param hasClusterBuckets see {@link io.weir.testkit.BucketStoreContract} */
  ScenariosContract(int seeds, int steps, boolean hasClusterBuckets) {
    this.seeds = seeds;
    this.steps = Integer.getInteger("weir.scenario.steps", steps);
    this.hasClusterBuckets = hasClusterBuckets;
  }

  /** @param adminUri of a user that may read everything and flush */
  final void connect(String uri, String adminUri) {
    connections = RedisConnections.open(uri, Duration.ofMinutes(1));
    admin = RedisConnections.open(adminUri, Duration.ofMinutes(1));
  }

  final Map<String, Long> seen() {
    return seen;
  }

  final RedisClusterCommands<String, String> admin() {
    return requireNonNull(admin).sync();
  }

  @AfterAll
  void disconnect() {
    System.out.println(getClass().getSimpleName() + ": " + seen);
    for (RedisConnections open : new @Nullable RedisConnections[] {connections, admin}) {
      if (open != null) {
        open.close();
      }
    }
  }

  Stream<Arguments> histories() {
    return Stream.of(StepType.values())
        .flatMap(kind -> Stream.iterate(Histories.firstSeed(), seed -> seed + 1)
            .limit(seeds)
            .map(seed -> Arguments.of(kind, seed)));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("histories")
  void agreesWithMemoryAfterEveryStep(StepType kind, long seed) {
    RedisConnections redis = requireNonNull(connections);
    admin().flushall();
    ManualClock clock = new ManualClock();
    ScenarioRun run = new ScenarioRun(
        hasClusterBuckets ? new Scenario(seed, kind) : Scenario.withoutClusterBuckets(seed, kind),
        kind,
        clock,
        reference(clock),
        RedisBucketStore.rehearsing(redis, clock),
        redis.links().get(0).eventLoop());
    for (int done = 0; done < steps; done += 200) {
      run.run(Math.min(200, steps - done));
      everyNumberIsExact(admin());
    }
    run.seen().forEach((what, times) -> seen.merge(what, times, Long::sum));
  }

  BucketStore reference(ManualClock clock) {
    return new InMemoryBucketStore(clock);
  }

  private static void everyNumberIsExact(RedisClusterCommands<String, String> commands) {
    for (String key : commands.keys("weir:*")) {
      if (key.endsWith("}:policy")) {
        continue; // a partition's copy of the revision, which is permanent
      }
      assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      States.show(commands, key)
          .forEach((field, value) -> assertThat(Long.parseLong(value))
              .describedAs("%s of %s", field, key)
              .isBetween(0L, TWO_TO_53 - 1));
    }
  }
}
