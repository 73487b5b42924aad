package io.weir.whole.languages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.node.testing.NodeFixture;
import io.weir.testkit.CommandRun;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of Redis that others wrote, at the port of a node for the Redis protocol. */
@Tag("clients")
final class RespClientsIT {
  private static final Path EXAMPLES =
      Path.of("../../examples/clients").toAbsolutePath().normalize();
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Pattern DECIDED =
      Pattern.compile("(?m)^throttle_decisions_total\\{[^}]*} (\\d+)(?:\\.0)?$");

  private static int port;

  @AutoClose
  private static NodeFixture node;

  @BeforeAll
  static void start() throws IOException {
    port = FreePorts.one();
    node = NodeFixture.withResp(Files.readString(EXAMPLES.resolve("policy.yaml")), port);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-2", "-3"})
  void redisCliSpeaksBothVersions(String version) {
    assertThat(redisCli(version, "PING").output()).isEqualTo("PONG\n");
    assertThat(redisCli(version, "HELLO", version.substring(1)).output()).contains("weir");
    assertThat(redisCli(version, "WEIR.CHECK", "twenty", "SegmentPut", "1", "TICKET", "NEW")
            .output())
        .contains("decision", "wait_us", "ticket", "revision");
    assertThat(redisCli(version, "WEIR.CHECK", "nobody", "Get").output())
        .startsWith("SUBJECT_UNKNOWN ");
  }

  @Test
  void redisCliWithoutTheTokenIsRefused() {
    assumeRuns("redis-cli");
    CommandRun wrong = CommandRun.of(
        TIMEOUT, "redis-cli", "-p", String.valueOf(port), "WEIR.CHECK", "twenty", "Get");
    assertThat(wrong.output()).startsWith("NOAUTH ");
  }

  @Test
  void redisCliSendsManyCommandsAtOnce() {
    assumeRuns("redis-cli");
    CommandRun piped = CommandRun.of(
        TIMEOUT,
        "bash",
        "-c",
        "for i in $(seq 1000); do printf 'PING\\r\\nWEIR.CHECK twenty SegmentPut\\r\\n'; done"
            + " | redis-cli -p %d --no-auth-warning -a %s --pipe"
                .formatted(port, NodeFixture.SERVICE));
    assertThat(piped.output()).contains("errors: 0, replies: 2000");
  }

  private static CommandRun redisCli(String... words) {
    assumeRuns("redis-cli");
    List<String> command = new ArrayList<>(List.of(
        "redis-cli", "-p", Integer.toString(port), "--no-auth-warning", "-a", NodeFixture.SERVICE));
    command.addAll(List.of(words));
    return CommandRun.of(TIMEOUT, Map.of(), command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "16"})
  void redisBenchmarkHasEveryCheckDecided(String pipeline) {
    assumeRuns("redis-benchmark");
    long before = decided();
    CommandRun run = CommandRun.of(
        TIMEOUT,
        Map.of(),
        List.of(
            "redis-benchmark",
            "-p",
            Integer.toString(port),
            "-a",
            NodeFixture.SERVICE,
            "-c",
            "16",
            "-n",
            "1600",
            "-P",
            pipeline,
            "-e",
            "WEIR.CHECK",
            "twenty",
            "SegmentPut"));
    assertThat(run.output()).contains("1600 requests completed").doesNotContain("Error");
    assertThat(decided() - before).isGreaterThanOrEqualTo(1600);
  }

  private static long decided() {
    return DECIDED
        .matcher(node.get("/metrics").body())
        .results()
        .mapToLong(row -> Long.parseLong(row.group(1)))
        .sum();
  }

  @Test
  void ioredisKeepsItsSlots() {
    assumeTrue(
        Files.exists(EXAMPLES.resolve("node_modules/ioredis")),
        "not here: npm install in examples/clients");
    assertThat(example("node", "ioredis.js")).contains("ioredis: 50 of 50 calls succeeded");
  }

  @Test
  void redisPyKeepsItsSlots() {
    assertThat(example(Python.with("redis"), "redis_py.py"))
        .contains("redis-py: 50 of 50 calls succeeded");
  }

  @Test
  void redisPyReadsTheDescriptionOfItsConnection() {
    String program = """
        import redis
        node = redis.Redis(port=%d, password="%s", client_name="me", decode_responses=True)
        own = node.client_list()
        assert len(own) == 1 and own[0]["name"] == "me", own
        about = node.client_info()
        assert node.client_getname() == "me" and about["name"] == "me", about
        assert str(node.client_id()) == own[0]["id"] == str(about["id"]), about
        assert node.command_count() > 0
        assert node.info("replication") == {"role": "master"}
        print(node.info()["redis_mode"], node.info()["tcp_port"])
        """.formatted(port, NodeFixture.SERVICE);
    CommandRun run = CommandRun.of(TIMEOUT, Python.with("redis"), "-c", program);
    assertThat(run.output()).isEqualTo("standalone " + port + "\n");
  }

  private static String example(String program, String script) {
    Map<String, String> environment = Map.of(
        "WEIR_RESP_PORT",
        Integer.toString(port),
        "WEIR_SERVICE_TOKEN",
        NodeFixture.SERVICE,
        "WEIR_CALLS",
        "50");
    return CommandRun.of(
            TIMEOUT, environment, List.of(program, EXAMPLES.resolve(script).toString()))
        .output();
  }

  private static void assumeRuns(String program) {
    assumeTrue(CommandRun.of(TIMEOUT, program, "--version").succeeded(), "not here: " + program);
  }
}
