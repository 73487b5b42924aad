package io.weir.state.redis;

import org.junit.jupiter.api.Tag;

/** The generated histories, on valkey/valkey:8 in a container. */
@Tag("containers")
final class ContainerValkey8ScenariosIT extends ContainerScenarios {
  ContainerValkey8ScenariosIT() {
    super("valkey/valkey:8");
  }
}
