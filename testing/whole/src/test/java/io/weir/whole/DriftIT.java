package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.jobs.store.JobKeys;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.providers.store.UpstreamKeys;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code weir audit drift} and its door: counters that were changed by hand are reported and repaired. */
final class DriftIT {
  private static final String POLICY = """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Report, match: { method: POST, path: /report }, mode: job, job: { dispatchPerSecond: 1 } }
        - { name: Call, match: { path: /rpc }, upstream: rpc }
      buckets:
        - { name: all, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1000, operations: [Report, Call] }] }
      upstreams:
        rpc: { providers: [{ name: ours, url: "http://127.0.0.1:UPSTREAM" }] }
      windows:
        blocks: { width: 10 }
      subjects:
      """ + TestPolicies.subject("k1", "");

  private static NodeFixture node;
  private static RedisConnections redis;
  private static String counts;
  private static String upstream;
  private static String window;

  @BeforeAll
  static void start() {
    node = new NodeFixture(POLICY, FailureMode.DENY);
    redis = RedisConnections.open(node.redisUri(), Duration.ofMinutes(1));
    counts = JobKeys.of("Report").get(0) + ":counts";
    upstream = UpstreamKeys.of("rpc").get(0);
    window = RedisKeys.ofExtension("window", "blocks");
    HttpResponse<String> accepted = node.send(HttpRequest.newBuilder(node.uri("/report"))
        .header("X-Api-Key", TestPolicies.key("k1"))
        .POST(BodyPublishers.ofString("{}")));
    assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
    HttpResponse<String> opened = node.post(
        "/v1/windows/blocks/open",
        "{\"from\": 1, \"to\": 1}",
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
    assertThat(opened.statusCode()).as(opened.body()).isEqualTo(201);
  }

  @AfterAll
  static void stop() {
    redis.close();
    node.close();
  }

  @BeforeEach
  void damage() {
    redis.sync().hset(counts, "jobs:acme/gone", "3");
    redis.sync().hset(upstream, "busy:ours", "2");
    redis.sync().hset(window, "failed", "4");
  }

  private static JsonArray differences(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonArray all = new JsonArray();
    NodeFixture.json(answer).getJsonArray("things").stream()
        .map(JsonObject.class::cast)
        .peek(thing -> assertThat(thing.getBoolean("compared")).isTrue())
        .forEach(thing -> thing.getJsonArray("drift").forEach(all::add));
    return all;
  }

  private static HttpResponse<String> asked(String method, String token) {
    return node.send(HttpRequest.newBuilder(node.uri("/v1/drift"))
        .method(method, BodyPublishers.noBody())
        .header("Authorization", "Bearer " + token));
  }

  private static JsonObject difference(String place, int counted) {
    return new JsonObject().put("place", place).put("counted", counted).put("found", 0);
  }

  @Test
  void theDoorNamesAndRepairsThem() {
    JsonArray expected = new JsonArray()
        .add(difference("counts jobs:acme/gone", 3))
        .add(difference("upstream busy:ours", 2))
        .add(difference("window failed", 4));
    assertThat(differences(asked("GET", NodeFixture.ADMIN))).isEqualTo(expected);
    assertThat(differences(asked("POST", NodeFixture.ADMIN))).isEqualTo(expected);
    assertThat(differences(asked("GET", NodeFixture.ADMIN))).isEmpty();
    assertThat(redis.sync().hget(counts, "jobs:acme/gone")).isNull();
    String audit =
        node.get("/v1/audit", "Authorization", "Bearer " + NodeFixture.ADMIN).body();
    assertThat(audit).contains("repair", "jobs:Report", "upstream:rpc", "window:blocks");
  }

  @Test
  void aRepairIsInTheAuditThoughTheNextOneFails() {
    long before = repairsInAudit();
    redis.sync().rename(window, window + ":aside");
    redis.sync().set(window, "no window");
    assertThat(asked("POST", NodeFixture.ADMIN).statusCode()).isGreaterThanOrEqualTo(500);
    redis.sync().rename(window + ":aside", window);
    assertThat(redis.sync().hget(counts, "jobs:acme/gone")).isNull();
    assertThat(redis.sync().hget(upstream, "busy:ours")).isNull();
    assertThat(repairsInAudit()).isEqualTo(before + 2);
  }

  private static long repairsInAudit() {
    return NodeFixture.json(
            node.get("/v1/audit?limit=100", "Authorization", "Bearer " + NodeFixture.ADMIN))
        .getJsonArray("lines")
        .stream()
        .filter(line -> line.toString().contains("\"repair\""))
        .count();
  }

  @Test
  void onlyOperatorsMay() {
    assertThat(asked("GET", "another").statusCode()).isEqualTo(401);
    assertThat(asked("POST", NodeFixture.SERVICE).statusCode()).isEqualTo(401);
  }

  @Test
  void theCommandFailsUntilTheyAreRepaired() {
    StringWriter out = new StringWriter();
    assertThat(weir(out, "audit", "drift")).isEqualTo(1);
    assertThat(out.toString())
        .contains("jobs Report", "counts jobs:acme/gone", "3 compared, 3 differences.");
    assertThat(weir(new StringWriter(), "audit", "drift", "--repair")).isZero();
    StringWriter after = new StringWriter();
    assertThat(weir(after, "audit", "drift")).isZero();
    assertThat(after.toString()).contains("3 compared, 0 differences.");
    assertThat(weir(new StringWriter(), "audit", "--limit", "1")).isZero();
  }

  private static int weir(StringWriter out, String... arguments) {
    CommandLine line = WeirCommand.commandLine(
        Map.of(
            "WEIR_NODE",
            node.uri("/").resolve("/").toString().replaceAll("/$", ""),
            "WEIR_ADMIN_TOKEN",
            NodeFixture.ADMIN),
        Optional::empty);
    line.setOut(new PrintWriter(out, true));
    return line.execute(arguments);
  }
}
