package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.weir.embedded.EmbeddedRedis;
import io.weir.state.memory.InMemoryBucketStore;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Trace;
import io.weir.throttle.BucketStore;
import io.weir.throttle.StoreAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory and Redis agree after every step of generated traces: 120,000 decisions. */
final class RedisTracesIT {
  private static final int STEPS = 20_000;
  private static final int AHEAD = 1;
  private static final long TWO_TO_53 = 1L << 53;

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

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void agreesWithMemoryAfterEveryStep(long seed) {
    RedisCommands<String, String> commands = connections.connection().sync();
    ManualClock clock = new ManualClock();
    BucketStore memory = new InMemoryBucketStore(clock);
    BucketStore inRedis = RedisBucketStore.rehearsing(connections, clock);
    List<Trace.Step> steps = Trace.generate(seed, STEPS).steps();
    // Redis learns the script: what is asked while it does may be answered out of order.
    inRedis.tryCharge(steps.get(0).charge()).toCompletableFuture().join();
    commands.flushall();
    List<Asked> asked = new ArrayList<>();
    int number = 0;
    for (Trace.Step step : steps) {
      clock.advance(step.advanceMicros());
      asked.add(new Asked(
          step,
          memory.tryCharge(step.charge()).toCompletableFuture().join(),
          inRedis.tryCharge(step.charge())));
      if (asked.size() == AHEAD) {
        compare(seed, asked);
      }
      if (++number % 200 == 0) {
        everyNumberIsExact(commands);
      }
    }
    compare(seed, asked);
  }

  private static void compare(long seed, List<Asked> asked) {
    for (Asked one : asked) {
      assertThat(one.fromRedis().toCompletableFuture().join())
          .describedAs("seed %d, %s", seed, one.step())
          .isEqualTo(one.fromMemory());
    }
    asked.clear();
  }

  private static void everyNumberIsExact(RedisCommands<String, String> commands) {
    for (String key : commands.keys("weir:*")) {
      States.show(commands, key)
          .forEach((field, value) -> assertThat(Long.parseLong(value))
              .describedAs("%s of %s", field, key)
              .isBetween(0L, TWO_TO_53 - 1));
      assertThat(commands.pttl(key)).describedAs("time to live of %s", key).isPositive();
    }
  }

  private record Asked(
      Trace.Step step, StoreAnswer fromMemory, CompletionStage<StoreAnswer> fromRedis) {}
}
