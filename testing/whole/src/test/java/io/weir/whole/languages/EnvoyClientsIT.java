package io.weir.whole.languages;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.testing.NodeFixture;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client of gRPC that others wrote, in another language, at the port of a node for Envoy. */
@Tag("clients")
final class EnvoyClientsIT {
  private static final Path PROGRAM =
      Path.of("../../examples/clients/envoy_grpc.py").toAbsolutePath().normalize();
  private static final String POLICY = """
      buckets: []
      envoy:
        edge:
          rules:
            - { match: [{ key: address }], requests: 20, per: second, name: address }
      """;

  private static int port;
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    port = FreePorts.one();
    node = NodeFixture.withEnvoy(POLICY, port, Optional.empty());
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void grpcioKeepsItsSlots() {
    Map<String, String> environment = Map.of(
        "WEIR_ENVOY_PORT",
        Integer.toString(port),
        "WEIR_SERVICE_TOKEN",
        NodeFixture.SERVICE,
        "WEIR_CALLS",
        "50");
    List<String> command =
        List.of(Python.with("grpc, google.protobuf.message_factory"), PROGRAM.toString());
    assertThat(CommandRun.of(Duration.ofMinutes(2), environment, command).output())
        .contains("grpcio: 50 of 50 calls succeeded");
  }
}
