package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.memory.InMemoryBucketStore;
import io.weir.testkit.Callers;
import io.weir.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redis makes the same appointments as the reference, and keeps them the same way. */
final class RedisSlotsIT {
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

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {1, 101, 201})
  void agreesWithMemoryAfterEveryStep(long first) {
    RedisCommands<String, String> commands = connections.connection().sync();
    long made = 0;
    for (long seed = first; seed < first + 9; seed++) {
      commands.flushall();
      ManualClock clock = new ManualClock();
      Callers callers = new Callers(
          seed,
          1 + (int) (seed % 3),
          clock,
          List.of(
              new InMemoryBucketStore(clock),
              RedisBucketStore.rehearsing(connections.connection(), clock)));
      callers.ask(600);
      made += callers.made();
      for (String key : commands.keys("weir:*")) {
        assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
      }
    }
    assertThat(made).isGreaterThan(500);
  }
}
