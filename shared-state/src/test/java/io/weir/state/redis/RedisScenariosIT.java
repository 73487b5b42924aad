package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.memory.InMemoryBucketStore;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.Kind;
import io.weir.testkit.ScenarioRun;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory and Redis agree after every step of generated histories. {@code -Dweir.scenario.steps} sets how many steps
 * there are of each of twenty.
 */
final class RedisScenariosIT {
  private static final int STEPS = Integer.getInteger("weir.scenario.steps", 3000);
  private static final int SEEDS = 7;
  private static final long TWO_TO_53 = 1L << 53;
  private static final Map<String, Long> SEEN = new TreeMap<>();

  private static EmbeddedRedis redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, 0);
    connections = RedisConnections.open(redis.uri(), Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    System.out.println("scenarios: " + SEEN);
    connections.close();
    redis.close();
  }

  static Stream<Arguments> histories() {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.iterate(1L, seed -> seed + 1)
            .limit(SEEDS)
            .map(seed -> Arguments.of(kind, seed)));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("histories")
  void agreesWithMemoryAfterEveryStep(Kind kind, long seed) {
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.flushall();
    ManualClock clock = new ManualClock();
    ScenarioRun run = new ScenarioRun(
        new Scenario(seed, kind),
        kind,
        clock,
        new InMemoryBucketStore(clock),
        RedisBucketStore.rehearsing(connections, clock),
        connections.links().get(0).eventLoop());
    for (int done = 0; done < STEPS; done += 200) {
      run.run(Math.min(200, STEPS - done));
      everyNumberIsExact(commands);
    }
    run.seen().forEach((what, times) -> SEEN.merge(what, times, Long::sum));
  }

  @Test
  void everythingHappensInTheseHistories() {
    for (long seed = 11; seed < 14; seed++) {
      agreesWithMemoryAfterEveryStep(Kind.MIXED, seed);
    }
    assertThat(SEEN)
        .containsKeys(
            "Allowed",
            "Denied",
            "NeverAllowed",
            "Stale",
            "NOT",
            "EARLY",
            "KEPT",
            "LATE",
            "UNKNOWN",
            "BROKEN",
            "made",
            "lost",
            "estimate",
            "slot");
    // The shortest way of the fast lane, its general one, and what only the queue lane does.
    String calls = connections.sync().info("commandstats");
    assertThat(calls)
        .contains(
            "cmdstat_setrange", "cmdstat_set:", "cmdstat_zadd", "cmdstat_zrem", "cmdstat_unlink");
  }

  private static void everyNumberIsExact(RedisClusterCommands<String, String> commands) {
    for (String key : commands.keys("weir:*")) {
      assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      if (key.matches(".*(:queue|:queue:kinds|:estimates)")) {
        continue;
      }
      States.show(commands, key)
          .forEach((field, value) -> assertThat(Long.parseLong(value))
              .describedAs("%s of %s", field, key)
              .isBetween(0L, TWO_TO_53 - 1));
    }
  }
}
