package io.weir.state.redis;

import static org.awaitility.Awaitility.await;

import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A Redis that is far away or busy: it takes long to connect to it. */
final class SlowConnectionsIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration AT_MOST = Duration.ofMinutes(1);
  private static final Duration AWAY = Duration.ofMillis(1500);
  // Longer than an attempt to connect lasts.
  private static final Duration ONE_ATTEMPT = Duration.ofSeconds(3);
  // Longer than the pause between two attempts to find Redis again.
  private static final Duration DELAY = Duration.ofMillis(400);

  @Test
  void aConnectionThatIsBeingMadeIsNotBrokenOffByCallsThatFail() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.before(redis.port());
        RedisConnections connections = RedisConnections.open(proxy.redisUri(), TIMEOUT)) {
      proxy.refuse(true);
      await().during(AWAY).atMost(AT_MOST).until(() -> !isAnswered(connections));
      proxy.delay(DELAY);
      proxy.refuse(false);
      await().atMost(AT_MOST).until(() -> isAnswered(connections));
    }
  }

  @Test
  void whoWaitsLongForAnswersWaitsAsLongForAConnection() {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.before(redis.port())) {
      proxy.stall(true);
      CompletableFuture<RedisConnections> opening = CompletableFuture.supplyAsync(
          () -> RedisConnections.open(proxy.redisUri(), Duration.ofMinutes(1)));
      await().during(ONE_ATTEMPT).atMost(AT_MOST).until(() -> !opening.isDone());
      proxy.stall(false);
      try (RedisConnections connections = opening.join()) {
        await().atMost(AT_MOST).until(() -> isAnswered(connections));
      }
    }
  }

  private static boolean isAnswered(RedisConnections connections) {
    return connections
        .probe()
        .handle((done, error) -> error == null)
        .toCompletableFuture()
        .join();
  }
}
