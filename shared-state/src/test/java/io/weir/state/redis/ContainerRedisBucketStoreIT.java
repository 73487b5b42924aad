package io.weir.state.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.throttle.BucketStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The contract, on the newest Redis; where Docker runs. */
final class ContainerRedisBucketStoreIT extends BucketStoreContract {
  private static final int PORT = 6379;

  private static GenericContainer<?> redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    boolean docker =
        System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"));
    assumeTrue(docker, "skipped: no Docker engine is here");
    redis = new GenericContainer<>(DockerImageName.parse("redis:8")).withExposedPorts(PORT);
    redis.start();
    String uri = "redis://%s:%d".formatted(redis.getHost(), redis.getMappedPort(PORT));
    connections = RedisConnections.open(uri, Duration.ofSeconds(5));
  }

  @AfterAll
  static void stop() {
    if (connections != null) {
      connections.close();
      redis.stop();
    }
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.connection().sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
