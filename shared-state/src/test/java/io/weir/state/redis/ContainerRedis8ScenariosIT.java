package io.weir.state.redis;

import org.junit.jupiter.api.Tag;

/** The generated histories, on redis:8 in a container. */
@Tag("containers")
final class ContainerRedis8ScenariosIT extends ContainerScenarios {
  ContainerRedis8ScenariosIT() {
    super("redis:8");
  }
}
