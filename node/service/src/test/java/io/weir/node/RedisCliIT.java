package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every command of {@code docs/how-to/redis-cli.md}, in order, on a key that is over its limit. */
final class RedisCliIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final String KEY = "k1.s1";
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    assumeTrue(
        CommandRun.of(TIMEOUT, "redis-cli", "--version").succeeded(),
        "skipped: no redis-cli is here");
    fixture = new NodeFixture(
        """
        buckets:
          - { name: requests, burstPeriodMs: 50000, throttleGroups: [{ milliOpsPerSec: 200, operations: [Ping] }] }
          - { name: of-tenant, scope: tenant, burstPeriodMs: 50000, throttleGroups: [{ milliOpsPerSec: 200, operations: [Ping] }] }
          - { name: others, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Pong] }] }
        quotas:
          - { name: calls, scope: key, limit: 4, period: day, operations: [Pong] }
        subjects:
          k1: { tenant: acme, secretHash: "sha256:%s" }
        """.formatted(SecretHash.of("s1").formatted().substring(7)), FailureMode.DENY);
  }

  @AfterAll
  static void stop() {
    if (fixture != null) {
      fixture.close();
    }
  }

  @Test
  void everyCommandOfTheHowToTellsWhatItSays() throws IOException {
    for (int i = 0; i < 10; i++) {
      check(1);
    }
    fixture.post("/v1/check", "{\"key\":\"" + KEY + "\",\"operation\":\"Ping\",\"ticket\":true}");
    fixture.post("/v1/check", "{\"key\":\"" + KEY + "\",\"operation\":\"Pong\",\"cost\":3}");
    List<String> commands = commands();
    List<String> outputs = new ArrayList<>();
    for (String command : commands) {
      CommandRun run = bash(command);
      assertThat(run.status()).describedAs("%s: %s", command, run.output()).isZero();
      assertThat(run.output()).describedAs(command).doesNotContain("ERR", "error", "NOSCRIPT");
      outputs.add(run.output().strip());
    }
    assertThat(outputs).hasSize(17);
    assertThat(outputs.get(0)).isEqualTo("weir:{72nw}:acme:key:k1");
    assertThat(outputs.get(1)).isEqualTo("2");
    assertThat(outputs.get(2))
        .containsPattern("requests@1/5000000\n\\d+ \\(\\d.* of 10 operations, (9\\d|100)\\.\\d %");
    assertThat(outputs.get(3))
        .containsPattern("of-tenant@1/5000000\n\\d+ \\(\\d.* of 10 operations, (9\\d|100)\\.\\d %");
    assertThat(outputs.get(4)).isEqualTo(outputs.get(2));
    assertThat(outputs.get(5)).contains("revision 1").containsPattern("requests@1/5000000 \\d{8}");
    assertThat(outputs.get(6)).containsPattern("calls\n[\\d,]+ \\(3 of 4, 75\\.0 %, until \\d{4}-");
    assertThat(outputs.get(7)).isEmpty();
    assertThat(outputs.get(9).split("at_us", -1)).hasSize(4);
    assertThat(outputs.get(10))
        .containsPattern("requests@1/5000000.due\n\\d+ \\(\\d operations until ")
        .containsPattern("tickets\n1 \\(made\\)");
    assertThat(outputs.get(11)).startsWith("open\n1 (");
    assertThat(outputs.get(12)).isEqualTo("1 weir:{72nw}:acme:key:k1:tickets");
    assertThat(outputs.get(13)).isEqualTo("2");
    assertThat(outputs.get(14)).isEqualTo("1");
    assertThat(outputs.get(15).lines().findFirst()).contains("1");
    assertThat(outputs.get(16)).contains("requests@1/5000000 50000", "of-tenant@1/5000000 50000");
    assertThat(bash("redis-cli EXISTS 'weir:{72nw}:acme:key:k1'").output().strip())
        .isEqualTo("0");
    await().atMost(TIMEOUT).untilAsserted(() -> assertThat(check(8)).contains("\"allowed\""));
  }

  private static String check(int cost) {
    return fixture
        .post(
            "/v1/check", "{\"key\":\"%s\",\"operation\":\"Ping\",\"cost\":%d}".formatted(KEY, cost))
        .body();
  }

  private static List<String> commands() throws IOException {
    String document = Files.readString(Path.of("../../docs/how-to/redis-cli.md"));
    return BLOCK
        .matcher(document)
        .results()
        .flatMap(block -> block.group(1).lines())
        .filter(line -> !line.isBlank())
        .toList();
  }

  // Unchanged, on the Redis of this test.
  private static CommandRun bash(String command) {
    String script =
        "set -eo pipefail; redis-cli() { command redis-cli -u %s \"$@\"; }; export -f redis-cli; %s"
            .formatted(fixture.redisUri(), command);
    return CommandRun.of(TIMEOUT, Map.of(), List.of("bash", "-c", "cd ../.. && " + script));
  }
}
