package io.weir.state.redis;

import io.weir.testkit.DockerImages;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The generated histories, on redis:8 in a container. */
@Tag("containers")
final class ContainerRedis8ScenariosIT extends ScenariosContract {
  private static final String IMAGE = "redis:8";
  private static final int PORT = 6379;

  private GenericContainer<?> server;

  ContainerRedis8ScenariosIT() {
    super(2, 600, true);
  }

  @BeforeAll
  void start() {
    DockerImages.assume(IMAGE);
    server = new GenericContainer<>(DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("redis"))
        .withExposedPorts(PORT);
    server.start();
    String uri = "redis://%s:%d".formatted(server.getHost(), server.getMappedPort(PORT));
    connect(uri, uri);
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.stop();
    }
  }
}
