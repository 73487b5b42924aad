package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.memory.InMemoryBucketStore;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory and Redis agree after every step of generated histories in which everything meets everything. {@code
 * -Dweir.scenario.steps} sets how many steps there are of each of ten seeds.
 */
final class RedisScenariosIT {
  private static final int STEPS = Integer.getInteger("weir.scenario.steps", 4000);
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
    connections.close();
    redis.close();
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 10);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void agreesWithMemoryAfterEveryStep(long seed) {
    connections.connection().sync().flushall();
    ManualClock clock = new ManualClock();
    Scenario scenario = new Scenario(
        seed,
        clock,
        new InMemoryBucketStore(clock),
        RedisBucketStore.rehearsing(connections, clock),
        connections.links().get(0).eventLoop());
    scenario.run(STEPS);
    scenario.seen().forEach((what, times) -> SEEN.merge(what, times, Long::sum));
    everyKeyExpires();
  }

  @Test
  void everythingHappensInTheseHistories() {
    for (long seed = 11; seed < 14; seed++) {
      agreesWithMemoryAfterEveryStep(seed);
    }
    System.out.println("scenarios: " + SEEN);
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
    String calls = connections.connection().sync().info("commandstats");
    assertThat(calls)
        .contains(
            "cmdstat_setrange", "cmdstat_set:", "cmdstat_zadd", "cmdstat_zrem", "cmdstat_unlink");
  }

  private static void everyKeyExpires() {
    RedisCommands<String, String> commands = connections.connection().sync();
    for (String key : commands.keys("weir:*")) {
      assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
    }
  }
}
