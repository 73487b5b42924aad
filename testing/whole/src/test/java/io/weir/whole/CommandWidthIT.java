package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sentences and tables of commands fit a terminal, however long the names in the policy are. Texts of policies and their
 * differences, JSON, hashes and the fields of a state in Redis are printed as they are.
 */
@Tag("operators")
final class CommandWidthIT {
  private static final int WIDTH = 80;
  private static final String LONG = "-of-a-name-with-as-many-characters-as-the-policy-allows";
  private static final String POLICY = """
      operations:
        - { name: Ask%1$s, match: { path: /ask } }
        - { name: Call%1$s, match: { method: POST, path: /rpc }, upstream: rpc%1$s }
        - { name: Proof%1$s, match: { method: POST, path: /proof }, mode: job, job: { dispatchPerSecond: 10 } }
      buckets:
        - { name: own%1$s, burstPeriod: 3600, throttleGroups: [{ rate: 3/h, operations: [Ask%1$s] }] }
        - { name: team%1$s, scope: tenant, burstPeriod: 3600, throttleGroups: [{ rate: 4/h, operations: [Ask%1$s] }] }
        - { name: all%1$s, scope: cluster, burstPeriod: 3600, throttleGroups: [{ rate: 9/h, operations: [Call%1$s, Proof%1$s] }] }
        - { name: trial%1$s, mode: audit, burstPeriod: 3600, throttleGroups: [{ rate: 1/h, operations: [Ask%1$s] }] }
      quotas:
        - { name: daily%1$s, scope: key, limit: 300, period: month, operations: [Ask%1$s] }
      plans:
        free%1$s: { buckets: [own%1$s, team%1$s, all%1$s, trial%1$s] }
        spare%1$s: { buckets: [own%1$s] }
      defaults: { plan: free%1$s }
      upstreams:
        rpc%1$s: { maxInflight: 5, maxQueue: 20, providers: [{ name: ours%1$s, url: "http://127.0.0.1:1" }] }
      windows: { blocks%1$s: { width: 40, attempts: 1, lease: 30s, results: true } }
      warnings: { near%1$s: { to: ops%1$s, at: [80] } }
      subjects:
        - { match: "user:*", tenant: app%1$s, plan: free%1$s }
      """.formatted(LONG);

  @TempDir
  private static Path folder;

  private static RedisProcess redis;
  private static NodeFixture node;
  private static String denial = "";

  @BeforeAll
  static void start() throws IOException {
    redis = RedisProcess.start();
    node = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);
    for (String who : List.of("key" + LONG, "user:" + "x".repeat(123))) {
      weir("keys", "create", "key" + LONG, "--tenant", "tenant" + LONG, "--note", "n ".repeat(90));
      for (int i = 0; i < 5; i++) {
        JsonObject answer = NodeFixture.json(node.post(
            "/v1/check",
            new JsonObject().put("subject", who).put("operation", "Ask" + LONG).encode(),
            "Authorization",
            "Bearer " + NodeFixture.SERVICE));
        denial = answer.getString("id", denial);
      }
    }
    Files.writeString(folder.resolve("bad.yaml"), POLICY.replace("rate: 3/h", "opsPerSec: 0"));
    Files.writeString(
        folder.resolve("log"),
        ("1.1.1.1 - user%s [01/Jan/2030:00:00:00 +0000] " + "\"GET /ask HTTP/1.1\" 200 1\n")
                .formatted(LONG)
                .repeat(9)
            + "no line of a log\n");
    Files.writeString(
        folder.resolve("keys.csv"), "id,tenant,plan\nk%1$s,t%1$s,p%1$s\n".formatted(LONG));
    Files.writeString(folder.resolve("policy.yaml"), POLICY);
  }

  @AfterAll
  static void stop() {
    node.close();
    redis.close();
  }

  static Stream<String> commands() {
    return Stream.of(
        "status",
        "top",
        "top --state nearly",
        "top --state wouldbe",
        "top --state closed",
        "denials",
        "denials DENIAL",
        "denials --rehearsed",
        "denials nothing%1$s",
        "explain key%1$s Ask%1$s",
        "explain USER",
        "explain key%1$s Task%1$s",
        "explain nobody%1$s",
        "work",
        "jobs",
        "jobs Proof%1$s",
        "jobs Proof%1$s 00000000000000000000000000000000",
        "jobs Proof%1$s --state failed",
        "jobs Proof%1$s --state late",
        "jobs Nothing%1$s",
        "inspect tenant%1$s/key%1$s REDIS",
        "inspect app%1$s/nobody%1$s REDIS",
        "inspect --upstream rpc%1$s REDIS",
        "inspect --window blocks%1$s REDIS",
        "inspect --window nothing%1$s REDIS",
        "inspect cluster --redis-uri redis://127.0.0.1:1",
        "audit",
        "audit drift",
        "warnings list",
        "warnings test ops%1$s",
        "keys list",
        "keys show key%1$s",
        "keys show nobody%1$s",
        "keys boost key%1$s --bucket own%1$s --rate 6/h --for 2h",
        "keys boost key%1$s --bucket own%1$s --rate 5/h --for 2h",
        "keys boost key%1$s --bucket nothing%1$s --rate 5/h --for 2h",
        "keys set key%1$s {\"plan\":\"nothing%1$s\"}",
        "keys set key%1$s nothing",
        "keys freeze USER",
        "keys rotate key%1$s",
        "keys create tenant%1$s/",
        "keys import keys.csv",
        "tenants create tenant%1$s --note note%1$s",
        "tenants list",
        "tokens create token%1$s --scope read --tenant tenant%1$s",
        "tokens list",
        "reset key%1$s --dry-run",
        "reset tenant%1$s/ --dry-run",
        "reset key%1$s --limit nothing%1$s",
        "reset key%1$s",
        "policy apply bad.yaml",
        "policy set /buckets/own%1$s/nothing 4",
        "policy set /nothing 4",
        "policy rollback 777",
        "policy rollback nothing%1$s%1$s",
        "policy history",
        "policy check policy.yaml",
        "policy check bad.yaml",
        "policy check nothing%1$s",
        "policy compare bad.yaml --for 1s",
        "policy compare policy.yaml --for 2s",
        "replay log --policy policy.yaml --and policy.yaml",
        "replay log --policy bad.yaml",
        "nothing%1$s",
        "keys nothing%1$s",
        "keys list --nothing%1$s x%1$s",
        "--help",
        "node --help");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void whatACommandSaysFitsATerminal(String command) {
    List<String> words = Stream.of(command.formatted(LONG).split(" "))
        .flatMap(CommandWidthIT::word)
        .toList();
    assertThat(weir(words.toArray(String[]::new)).lines())
        .allSatisfy(line ->
            assertThat(line.codePointCount(0, line.length())).as(line).isLessThanOrEqualTo(WIDTH));
  }

  private static Stream<String> word(String word) {
    return switch (word) {
      case "DENIAL" -> Stream.of(denial);
      case "USER" -> Stream.of("user:" + "x".repeat(123));
      case "REDIS" -> Stream.of("--redis-uri", redis.uri());
      case "log", "keys.csv", "policy.yaml", "bad.yaml" ->
        Stream.of(folder.resolve(word).toString());
      default -> Stream.of(word);
    };
  }

  private static String weir(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(
            Map.of("WEIR_NODE", node.uri("/").toString(), "WEIR_ADMIN_TOKEN", NodeFixture.ADMIN),
            Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(all.toArray(String[]::new));
    return out.toString();
  }
}
