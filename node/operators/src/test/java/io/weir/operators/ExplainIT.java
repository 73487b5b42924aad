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
import java.util.ArrayList;
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
      plans: { default: {}, iced: { frozen: true } }
      defaults: { plan: default }
      tenants: { acme: {}, other: {}, ice: { frozen: true } }
      subjects:
        k1: { tenant: acme }
        colder: { tenant: ice }
        stopped: { tenant: acme, overrides: [{ operation: Quota, opsPerSec: 0 }] }
        roomy: { tenant: acme, overrides: [{ bucket: own, opsPerSec: 5 }] }
        cold: { tenant: acme, frozen: true }
        snow: { tenant: acme, plan: iced }
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
    assertThat(explained.getJsonArray("words").getString(0)).contains(limit + " full");

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
        .anyMatch(line -> line.contains("calls full"));
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

  @ParameterizedTest
  @CsvSource({
    "cold, acme/cold, key_frozen, key is frozen",
    "colder, ice/, tenant_frozen, tenant is frozen",
    "snow, acme/snow, plan_frozen, plan is frozen",
    "stopped, acme/stopped, operation_frozen, operation is frozen"
  })
  void aFreezeIsReportedInTheSameWordsEverywhere(
      String key, String who, String code, String words) {
    String id = denied(key, "Quota");

    JsonObject denial = NodeFixture.json(look("/v1/denials/" + id));
    JsonObject explained = explain("key=" + key + "&operation=Quota");
    JsonObject ofAll = explain("key=" + key).getJsonArray("decisions").stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getString("operation").equals("Quota"))
        .findFirst()
        .orElseThrow();
    for (JsonObject said : List.of(denial, explained, ofAll)) {
      assertThat(said.getString("reason")).isEqualTo(code);
      assertThat(said.getString("why")).isEqualTo(words);
    }
    assertThat(explained.getString("decision")).isEqualTo("never_allowed");
    JsonObject found = NodeFixture.json(look("/v1/cases?limit=32")).getJsonArray("cases").stream()
        .map(JsonObject.class::cast)
        .filter(one -> who.equals(one.getString("tenant") + "/" + one.getString("key", "")))
        .filter(one -> one.getString("limit").equals(code))
        .findFirst()
        .orElseThrow();
    assertThat(found.getString("why")).isEqualTo(words);

    assertThat(weir("top", "--limit", "32"))
        .containsPattern("(?m)^" + who + " +" + words + " ")
        .doesNotContain(code);
    assertThat(weir("explain", key, "Quota").replaceAll("\\s+", " "))
        .contains("it can never pass: the " + words + ".");
    assertThat(weir("denials", "--key", key)).contains(words).doesNotContain(code);
    assertThat(weir("denials", id)).containsPattern("reason +" + words);
  }

  @Test
  void whatForbidsAllOperationsIsSaidOnce() {
    JsonObject explained = explain("key=cold");
    assertThat(explained.getInteger("verdicts")).isOne();
    assertThat(explained.getJsonArray("decisions")).hasSizeGreaterThan(1);
    String printed = weir("explain", "cold").replaceAll("\\s+", " ");
    assertThat(printed)
        .containsOnlyOnce("key is frozen")
        .contains(" by acme/cold, plan ", ": none of them can pass: the key is frozen.");
    assertThat(explain("key=k1").getInteger("verdicts"))
        .isEqualTo(explain("key=k1").getJsonArray("decisions").size());
  }

  private static String weir(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", fixture.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    StringWriter out = new StringWriter();
    WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(out, true))
        .execute(all.toArray(String[]::new));
    return out.toString();
  }

  @Test
  void anUnlistedOperationAndATooLargeCostAreReported() {
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
    assertThat(unknown.body()).contains("key_unknown").doesNotContain("errors");
    for (String begin : List.of("weir_k1", "weir_k1.secret")) {
      HttpResponse<String> mistaken = look("/v1/explain?key=" + begin);
      assertThat(mistaken.statusCode()).isEqualTo(404);
      assertThat(mistaken.body())
          .contains("expected: its id, k1, without weir_")
          .doesNotContain("k1.secret");
    }
    assertThat(weir("explain", "weir_k1")).contains("expected: its id, k1");
    assertThat(weir("reset", "weir_k1")).contains("expected: its id, k1");
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
          .containsExactly(
              new JsonObject().put("limit", "own").put("kind", "rate").put("scope", "key"));
      assertThat(explained.getString("decision")).isEqualTo("unavailable");
      assertThat(explained.getJsonArray("words").getString(0)).contains("its share");
    }
  }
}
