package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.DockerImages;
import io.weir.testkit.ManualClock;
import io.weir.testkit.TransportFacts;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The contract on a server in a container, where Docker runs. Mutable; owned by JUnit. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("containers")
@TransportFacts
abstract class ContainerContract extends BucketStoreContract {
  private static final int PORT = 6379;

  private final String image;
  private GenericContainer<?> server;
  private RedisConnections connections;

  ContainerContract(String image) {
    this.image = image;
  }

  @BeforeAll
  void start() {
    DockerImages.assume(image);
    server = new GenericContainer<>(DockerImageName.parse(image).asCompatibleSubstituteFor("redis"))
        .withExposedPorts(PORT);
    server.start();
    String uri = "redis://%s:%d".formatted(server.getHost(), server.getMappedPort(PORT));
    connections = RedisConnections.open(uri, Duration.ofMinutes(1));
  }

  @AfterAll
  void stop() {
    if (connections != null) {
      connections.close();
    }
    if (server != null) {
      server.stop();
    }
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
