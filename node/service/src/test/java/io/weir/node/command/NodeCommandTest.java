package io.weir.node.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.node.config.Descriptors;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Redis;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.config.NodeConfig.Tokens;
import io.weir.node.config.Reports;
import io.weir.node.config.Tls;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Every setting: its default, its names, its sources, and the values that are refused. */
final class NodeCommandTest {
  @Test
  void defaults() {
    assertThat(config(Map.of()))
        .usingRecursiveComparison()
        .isEqualTo(new NodeConfig(
            new Listening(
                new Address("0.0.0.0", 8080),
                Optional.of(new Address("127.0.0.1", 9080)),
                Map.of(),
                Optional.empty(),
                List.of()),
            new Redis("redis://127.0.0.1:6379", Duration.ofMillis(75), Duration.ofMinutes(1)),
            new PolicyFile(Path.of("policy.yaml"), Optional.empty(), false),
            new Tokens(Optional.empty(), Optional.empty()),
            new Running(
                Runtime.getRuntime().availableProcessors(),
                Descriptors.forConnections(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(10)),
            Reports.NONE));
  }

  @Test
  void theLineOfAReadyNodeHasTheSchemeOfEachPort() {
    Address callers = new Address("127.0.0.1", 8443);
    Optional<Address> operators = Optional.of(new Address("127.0.0.1", 9080));
    Optional<Tls> tls =
        Optional.of(new Tls(Path.of("cert.pem"), Path.of("key.pem"), Optional.empty()));

    assertThat(NodeCommand.ready(listening(callers, operators, Optional.empty())))
        .endsWith("on http://127.0.0.1:8443, for operators on http://127.0.0.1:9080");
    assertThat(NodeCommand.ready(listening(callers, operators, tls)))
        .endsWith("on https://127.0.0.1:8443, for operators on http://127.0.0.1:9080");
    assertThat(NodeCommand.ready(listening(callers, Optional.empty(), tls)))
        .endsWith("on https://127.0.0.1:8443, for operators on https://127.0.0.1:8443");
    assertThat(NodeCommand.ready(
            listening(new Address("::1", 8080), Optional.empty(), Optional.empty())))
        .endsWith("on http://[::1]:8080, for operators on http://[::1]:8080");
  }

  private static Listening listening(
      Address callers, Optional<Address> operators, Optional<Tls> tls) {
    return new Listening(callers, operators, Map.of(), tls, List.of());
  }

  @Test
  void everySettingFromTheEnvironment() {
    Map<String, String> environment = new HashMap<>(Map.of(
        "WEIR_HOST", "127.0.0.1",
        "WEIR_PORT", "9001",
        "WEIR_REDIS_URI", "redis://r:1",
        "WEIR_POLICY", "p.yaml",
        "WEIR_SERVICE_TOKEN", "s",
        "WEIR_ADMIN_TOKEN", "a",
        "WEIR_REDIS_TIMEOUT_MS", "20",
        "WEIR_EVENT_LOOPS", "3",
        "WEIR_SHUTDOWN_TIMEOUT_MS", "5"));
    environment.put("WEIR_MAX_CONNECTIONS", "6");
    environment.put("WEIR_SHUTDOWN_DELAY_MS", "4");
    environment.put("WEIR_REDIS_WAIT_MS", "30");
    environment.put("WEIR_ADMIN_HOST", "127.0.0.2");
    environment.put("WEIR_ADMIN_PORT", "9002");
    environment.put("WEIR_POLICY_COPY", "copy.yaml");
    environment.put("WEIR_CORS_ORIGINS", "https://a.example, http://[::1]:8080");
    assertThat(config(environment)).usingRecursiveComparison().isEqualTo(all());
  }

  @Test
  void everySettingFromTheFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("weir.properties");
    Files.writeString(file, """
        # comment
        host = 127.0.0.1
        port = 9001
        redis-uri = redis://r:1
        policy = p.yaml
        policy-copy = copy.yaml
        service-token = s
        admin-token = a
        redis-timeout-ms = 20
        redis-wait-ms = 30
        event-loops = 3
        max-connections = 6
        admin-host = 127.0.0.2
        admin-port = 9002
        shutdown-delay-ms = 4
        shutdown-timeout-ms = 5
        cors-origins = https://a.example,http://[::1]:8080
        """);
    assertThat(config(Map.of(), "--config", file.toString()))
        .usingRecursiveComparison()
        .isEqualTo(all());
    assertThat(config(Map.of("WEIR_CONFIG", file.toString())))
        .usingRecursiveComparison()
        .isEqualTo(all());
  }

  @Test
  void aFlagWinsOverTheEnvironmentAndThatOverTheFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("weir.properties");
    Files.writeString(file, "port = 1\nhost = file\nredis-timeout-ms = 11\n");
    NodeConfig config = config(
        Map.of("WEIR_PORT", "2", "WEIR_HOST", "environment"),
        "--port",
        "3",
        "--config",
        file.toString());
    assertThat(config.listening().callers().port()).isEqualTo(3);
    assertThat(config.listening().callers().host()).isEqualTo("environment");
    assertThat(config.redis().timeout()).isEqualTo(Duration.ofMillis(11));
  }

  @Test
  void unknownSettingsOfTheFileAreNamed(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("weir.properties");
    Files.writeString(file, "colour = blue\nport = 1\n");
    assertThatThrownBy(() -> config(Map.of(), "--config", file.toString()))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining("unknown settings colour");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--port=0",
        "--port=65536",
        "--port=x",
        "--redis-timeout-ms=0",
        "--redis-wait-ms=-1",
        "--redis-wait-ms=3600001",
        "--event-loops=-1",
        "--max-connections=-1",
        "--shutdown-timeout-ms=-1",
        "--shutdown-delay-ms=-1",
        "--admin-port=65536",
        "--cors-origins=app.example.com",
        "--cors-origins=https://app.example.com/path",
        "--traces=collector:4318",
        "--traces=file:///etc",
        "--traces=http://collector:4318",
        "--traces=http://user:password@collector:4318/v1/traces",
        "--trace-share=1.5",
        "--trace-share=NaN",
        "--webhooks=does-not-exist",
        "--config=does-not-exist",
        "--colour=blue"
      })
  void numbersOutOfRangeAreRefused(String argument) {
    assertThatThrownBy(() -> config(Map.of(), argument)).isInstanceOf(ParameterException.class);
  }

  @Test
  void whereTracesAreSent() {
    Reports reports =
        config(Map.of("WEIR_TRACES", "http://collector:4318/v1/traces")).reports();
    assertThat(reports.traces())
        .hasValue(new Reports.Traces(URI.create("http://collector:4318/v1/traces"), 0.01));
    assertThat(config(Map.of()).reports()).isEqualTo(Reports.NONE);
  }

  @Test
  void noTokenIsShown() {
    assertThat(all().toString()).doesNotContain("s]", "[a", "redis");
  }

  private static NodeConfig all() {
    return new NodeConfig(
        new Listening(
            new Address("127.0.0.1", 9001),
            Optional.of(new Address("127.0.0.2", 9002)),
            Map.of(),
            Optional.empty(),
            List.of("https://a.example", "http://[::1]:8080")),
        new Redis("redis://r:1", Duration.ofMillis(20), Duration.ofMillis(30)),
        new PolicyFile(Path.of("p.yaml"), Optional.of(Path.of("copy.yaml")), false),
        new Tokens(Optional.of("s"), Optional.of("a")),
        new Running(3, 6, Duration.ofMillis(4), Duration.ofMillis(5)),
        Reports.NONE);
  }

  private static NodeConfig config(Map<String, String> environment, String... arguments) {
    CommandLine line = NodeCommand.commandLine(environment);
    line.parseArgs(arguments);
    NodeCommand command = line.getCommand();
    return command.config();
  }
}
