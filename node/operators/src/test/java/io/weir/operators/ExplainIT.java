package io.weir.operators;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key that is denied by a limit of each kind: the denial, the explanation and the state in Redis name it. */
final class ExplainIT {
  private static final String POLICY = """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Quota, match: { path: /quota } }
        - { name: Stream, match: { path: /stream }, settle: { lease: 60s } }
      buckets:
        - { name: own, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 50, operations: [Key] }] }
        - { name: team, scope: tenant, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 50, operations: [Team] }] }
        - { name: all, scope: cluster, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 50, operations: [All] }] }
        - name: pool
          scope: cluster
          leased: true
          burstPeriod: 60
          throttleGroups: [{ milliOpsPerSec: 50, operations: [Leased] }]
        - { name: mine, leased: true, burstPeriod: 60, throttleGroups: [{ milliOpsPerSec: 50, operations: [LeasedKey] }] }
      quotas:
        - { name: calls, scope: key, limit: 3, period: day, operations: [Quota] }
      permits:
        - { name: streams, scope: tenant, limit: 2, lease: 60s, operations: [Stream] }
      subjects:
        k1: { tenant: acme }
        roomy: { tenant: acme, overrides: [{ bucket: own, opsPerSec: 5 }] }
        cold: { tenant: acme, frozen: true }
        other: { tenant: other }
      """;
  private static RedisProcess redis;
  private static NodeFixture fixture;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    fixture = NodeFixture.at(redis.uri(), POLICY, FailureMode.LOCAL);
  }

  @AfterAll
  static void stop() {
    fixture.close();
    redis.close();
  }

  private static HttpResponse<String> look(String path) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN));
  }

  private static JsonObject ask(String path, String subject, String operation) {
    return NodeFixture.json(fixture.post(
        path,
        new JsonObject().put("subject", subject).put("operation", operation).encode(),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE));
  }

  // The id of the first denial.
  private static String denied(String subject, String operation) {
    String path = operation.equals("Stream") ? "/v1/reservations" : "/v1/check";
    for (int i = 0; i < 20; i++) {
      JsonObject answer = ask(path, subject, operation);
      if (answer.containsKey("id") && !"allowed".equals(answer.getString("decision"))) {
        return answer.getString("id");
      }
    }
    throw new AssertionError("nothing was denied");
  }

  private static JsonObject explain(String query) {
    HttpResponse<String> answer = look("/v1/explain?" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer);
  }

  private static List<JsonObject> limits(JsonObject explained) {
    return explained.getJsonArray("limits").stream().map(JsonObject.class::cast).toList();
  }

  private static String inspected(String key) {
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(Map.of(), () -> Optional.of(fixture.redisUri()))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute("inspect", key);
    return out.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "Key, own, rate, key",
    "Team, team, rate, tenant",
    "All, all, rate, cluster",
    "Leased, pool, rate, cluster",
    "LeasedKey, mine, rate, key",
    "Quota, calls, quota, key",
    "Stream, streams, permit, tenant"
  })
  void theLimitThatDeniesIsNamedEverywhere(
      String operation, String limit, String kind, String scope) {
    String id = denied("k1", operation);

    JsonObject denial = NodeFixture.json(look("/v1/denials/" + id));
    assertThat(denial.getString("reason")).isEqualTo(limit);
    assertThat(denial.getJsonArray("full"))
        .containsExactly(
            new JsonObject().put("limit", limit).put("kind", kind).put("scope", scope));

    JsonObject explained = explain("key=k1&operation=" + operation);
    assertThat(explained.getString("decision")).isEqualTo("denied");
    assertThat(explained.getLong("retryAfterMs")).isPositive();
    assertThat(explained.getJsonArray("full")).containsExactly(limit);
    JsonObject full = limits(explained).stream()
        .filter(it -> it.getString("limit").equals(limit))
        .findFirst()
        .orElseThrow();
    assertThat(full.getBoolean("full")).isTrue();
    assertThat(full.getString("kind")).isEqualTo(kind);
    assertThat(full.getString("scope")).isEqualTo(scope);
    assertThat(full.getString("from")).isEqualTo("plan");
    assertThat(full.getLong("remaining")).isZero();
    assertThat(full.getDouble("usedPercent")).isBetween(80.0, 100.0);
    assertThat(explained.getJsonArray("words").getString(0)).contains("no room in " + limit);

    assertThat(inspected("acme/k1")).contains(limit);
  }

  @Test
  void withoutAnOperationAllOfThemAreExplainedWithEachLimitOnce() {
    denied("k1", "Quota");
    denied("k1", "Key");

    JsonObject explained = explain("key=k1");

    Map<String, JsonObject> decisions = explained.getJsonArray("decisions").stream()
        .map(JsonObject.class::cast)
        .collect(toMap(one -> one.getString("operation"), one -> one));
    assertThat(decisions.keySet())
        .contains("Quota", "Stream", "Key", "Team", "All", "Leased", "LeasedKey");
    JsonObject ofQuota = requireNonNull(decisions.get("Quota"));
    assertThat(ofQuota.getString("decision")).isEqualTo("denied");
    assertThat(ofQuota.getJsonArray("full")).containsExactly("calls");
    assertThat(limits(explained).stream().map(limit -> limit.getString("limit")))
        .doesNotHaveDuplicates()
        .contains("own", "team", "all", "pool", "mine", "calls", "streams");
    JsonObject calls = limits(explained).stream()
        .filter(limit -> limit.getString("limit").equals("calls"))
        .findFirst()
        .orElseThrow();
    assertThat(calls.getBoolean("full")).isTrue();
    assertThat(calls.getJsonArray("operations")).containsExactly("Quota");
    assertThat(explained.getBoolean("listed")).isTrue();
    assertThat(explained.getJsonArray("words").stream().map(String::valueOf))
        .anyMatch(line -> line.contains("no room in calls"));
  }

  @Test
  void whoHoldsThePermitsIsNamed() {
    denied("k1", "Stream");

    JsonObject streams = limits(explain("key=k1&operation=Stream")).get(0);

    assertThat(streams.getLong("used")).isEqualTo(2);
    assertThat(streams.getJsonArray("holders", new JsonArray())).hasSize(2);
  }

  @Test
  void anOverrideIsToldFromThePlan() {
    JsonObject own = limits(explain("key=roomy&operation=Key")).get(0);

    assertThat(own.getString("from")).isEqualTo("override");
    assertThat(own.getDouble("opsPerSec")).isEqualTo(5.0);
    assertThat(own.getLong("capacity")).isEqualTo(300);
  }

  @Test
  void aFrozenKeyAndAnUnlistedOperationAreTold() {
    String frozen = denied("cold", "Key");

    assertThat(NodeFixture.json(look("/v1/denials/" + frozen)).getString("reason"))
        .isEqualTo("access_disabled");
    JsonObject explained = explain("key=cold&operation=Key");
    assertThat(explained.getString("decision")).isEqualTo("never_allowed");
    assertThat(explained.getString("reason")).isEqualTo("access_disabled");
    JsonObject unlisted = explain("key=k1&operation=unlisted");
    assertThat(unlisted.getString("reason")).isEqualTo("operation_not_configured");
    assertThat(unlisted.getString("countedAs")).isEqualTo("unlisted");
    assertThat(explain("key=other&operation=Key&cost=4").getString("reason"))
        .isEqualTo("cost_exceeds_capacity");
  }

  @Test
  void anExplanationTakesNothing() {
    for (int i = 0; i < 10; i++) {
      assertThat(explain("key=other&operation=Key&cost=3").getString("decision"))
          .isEqualTo("allowed");
    }
    assertThat(redis.ask("EXISTS weir:{33xe}:other:key:other")).doesNotContain("1");
  }

  @Test
  void mistakesAreAllTold() {
    assertThat(look("/v1/explain?key=&operation=a%20b&cost=0").body())
        .contains("query_invalid", "key:", "operation:", "cost:");
    HttpResponse<String> unknown = look("/v1/explain?key=nobody&operation=Key");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("key_unknown");
    assertThat(fixture.get("/v1/explain?key=k1&operation=Key").statusCode()).isEqualTo(401);
  }

  @Test
  void withoutRedisTheDegradedModeIsTold() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        NodeFixture alone = NodeFixture.losing(network.redisUri(), POLICY, FailureMode.LOCAL)) {
      network.stall(true);
      String id = "";
      for (int i = 0; i < 40 && id.isEmpty(); i++) {
        JsonObject answer = NodeFixture.json(alone.post(
            "/v1/check",
            "{\"subject\":\"k1\",\"operation\":\"Key\"}",
            "Authorization",
            "Bearer " + NodeFixture.SERVICE));
        id = "denied".equals(answer.getString("decision")) ? answer.getString("id") : "";
      }
      JsonObject denial =
          NodeFixture.json(alone.send(HttpRequest.newBuilder(alone.uri("/v1/denials/" + id))
              .header("Authorization", "Bearer " + NodeFixture.ADMIN)));
      JsonObject explained = NodeFixture.json(
          alone.send(HttpRequest.newBuilder(alone.uri("/v1/explain?key=k1&operation=Key"))
              .header("Authorization", "Bearer " + NodeFixture.ADMIN)));
      network.stall(false);

      assertThat(denial.getBoolean("degraded")).as(denial + " " + explained).isTrue();
      assertThat(denial.getString("reason")).isEqualTo("own");
      assertThat(denial.getJsonArray("full"))
          .containsExactly(new JsonObject().put("limit", "own").put("scope", "key"));
      assertThat(explained.getString("decision")).isEqualTo("unavailable");
      assertThat(explained.getJsonArray("words").getString(0)).contains("its share");
    }
  }
}
