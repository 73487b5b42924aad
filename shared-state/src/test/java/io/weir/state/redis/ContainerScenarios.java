package io.weir.state.redis;

import io.weir.testkit.DockerImages;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The generated histories, on a server in a container, where Docker runs. */
@Tag("containers")
abstract class ContainerScenarios extends ScenariosContract {
  private static final int PORT = 6379;

  private final String image;
  private GenericContainer<?> server;

  ContainerScenarios(String image) {
    super(2, 600, true);
    this.image = image;
  }

  @BeforeAll
  void start() {
    DockerImages.assume(image);
    server = new GenericContainer<>(DockerImageName.parse(image).asCompatibleSubstituteFor("redis"))
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
