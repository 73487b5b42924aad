package io.weir.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.SecretHash;
import io.weir.node.command.WeirCommand;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What operators see of two nodes that share one Redis. */
final class InsightIT {
  private static final String POLICY =
      """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Ask, match: { path: /ask } }
        - { name: Wait, match: { path: /wait }, maxDelay: 5s }
      buckets:
        - name: requests
          scope: key
          burstPeriod: 60
          throttleGroups: [{ opsPerSec: 1, operations: [Ask, Tell] }]
        - name: shared
          scope: tenant
          burstPeriod: 60
          throttleGroups: [{ milliOpsPerSec: 100, operations: [Tell] }]
        - name: quick
          burstPeriod: 1
          throttleGroups: [{ opsPerSec: 5, operations: [Wait] }]
      plans: { free: { buckets: [requests, shared, quick] } }
      defaults: { plan: free }
      subjects:
        - { match: "user:*", tenant: invented, plan: free }
        - { id: k1, tenant: acme, secretHash: "%1$s" }
        - { id: k2, tenant: acme, secretHash: "%1$s" }
        - { id: patient, tenant: other, secretHash: "%1$s" }
        - { id: k4, tenant: acme, secretHash: "%1$s" }
        - { id: k3, tenant: other, secretHash: "%1$s" }
        - { id: k5, tenant: lonely, secretHash: "%1$s" }
        - { id: k6, tenant: a-very-long-name-of-a-tenant-indeed, secretHash: "%1$s" }
        - { id: k7, tenant: another-very-long-name-of-a-tenant, secretHash: "%1$s" }
      """.formatted(SecretHash.of("secret-of-all").formatted());

  private static RedisProcess redis;
  private static NodeFixture one;
  private static NodeFixture two;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    one = NodeFixture.at(redis.uri(), POLICY, FailureMode.DENY);
    two = NodeFixture.at(redis.uri(), POLICY, FailureMode.DENY);
  }

  @AfterAll
  static void end() {
    one.close();
    two.close();
    redis.close();
  }

  private static HttpResponse<String> look(NodeFixture node, String path) {
    return node.send(HttpRequest.newBuilder(node.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN));
  }

  private static HttpResponse<String> check(
      NodeFixture node, String key, String operation, int cost) {
    return node.post(
        "/v1/check",
        new JsonObject()
            .put("key", key)
            .put("operation", operation)
            .put("cost", cost)
            .encode());
  }

  private static JsonObject denied(NodeFixture node, String key, String operation, int cost) {
    for (int i = 0; i < 100; i++) {
      HttpResponse<String> answer = check(node, key, operation, cost);
      JsonObject json = NodeFixture.json(answer);
      if (!json.getString("decision").equals("allowed")) {
        assertThat(answer.headers().firstValue("Weir-Decision")).hasValue(json.getString("id"));
        return json;
      }
    }
    throw new AssertionError("nothing was denied");
  }

  private static List<JsonObject> rows(JsonObject json, String member) {
    return json.getJsonArray(member, new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  @Test
  void aDenialIsFoundByItsIdOnEveryNode() {
    JsonObject answer = denied(one, "k1.secret-of-all", "Ask", 30);

    for (NodeFixture node : List.of(one, two)) {
      HttpResponse<String> found = look(node, "/v1/denials/" + answer.getString("id"));
      assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
      JsonObject denial = NodeFixture.json(found);
      assertThat(denial.getString("tenant")).isEqualTo("acme");
      assertThat(denial.getString("key")).isEqualTo("k1");
      assertThat(denial.getString("operation")).isEqualTo("Ask");
      assertThat(denial.getLong("cost")).isEqualTo(30);
      assertThat(denial.getLong("retryAfterMs")).isEqualTo(answer.getLong("retryAfterMs"));
      assertThat(denial.getJsonArray("full"))
          .containsExactly(
              new JsonObject().put("limit", "requests").put("kind", "rate").put("scope", "key"));
    }
    HttpResponse<String> unknown = look(two, "/v1/denials/0123456789ab");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("denial_unknown");
  }

  @Test
  void aDenialNamesTheTraceOfItsRequest() {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    String parent = "00-%s-00f067aa0ba902b7-01".formatted(trace);
    String ofGateway = "";
    String ofCheck = "";
    for (int i = 0; i < 100 && (ofGateway.isEmpty() || ofCheck.isEmpty()); i++) {
      HttpResponse<String> forwarded =
          one.get("/ask", "X-Api-Key", "k4.secret-of-all", "traceparent", parent);
      ofGateway = forwarded.headers().firstValue("Weir-Decision").orElse(ofGateway);
      HttpResponse<String> checked = one.post(
          "/v1/check",
          "{\"key\":\"k4.secret-of-all\",\"operation\":\"Ask\"}",
          "traceparent",
          parent);
      ofCheck = checked.headers().firstValue("Weir-Decision").orElse(ofCheck);
    }
    for (String id : List.of(ofGateway, ofCheck)) {
      JsonObject denial = NodeFixture.json(look(two, "/v1/denials/" + id));
      assertThat(denial.getString("trace")).isEqualTo(trace);
    }
  }

  @Test
  void whatCanNeverPassIsRememberedWithItsReason() {
    JsonObject tooMuch = denied(two, "k3.secret-of-all", "Ask", 61);
    JsonObject unlisted = denied(two, "k3.secret-of-all", "Unknown", 1);

    JsonObject first = NodeFixture.json(look(one, "/v1/denials/" + tooMuch.getString("id")));
    assertThat(first.getString("outcome")).isEqualTo("never_allowed");
    assertThat(first.getString("reason")).isEqualTo("requests");
    JsonObject second = NodeFixture.json(look(one, "/v1/denials/" + unlisted.getString("id")));
    assertThat(second.getString("operation")).isEqualTo("unlisted");
    assertThat(second.getString("reason")).isEqualTo("operation_not_configured");
    assertThat(weir("denials", tooMuch.getString("id")))
        .containsPattern("key +other/k3")
        .containsPattern("operation +Ask, cost 61")
        .containsPattern("outcome +blocked")
        .containsPattern("full +requests, rate of the key")
        .containsPattern("node +127\\.0\\.0\\.1:")
        .doesNotContain("reason", "estimate", first.getString("node"));
    assertThat(weir("denials", unlisted.getString("id")))
        .containsPattern("operation +no operation of the policy, cost 1")
        .containsPattern("reason +no limit covers it");
    String shown = weir("denials", "--key", "k3");
    assertThat(shown).contains(" no operation of t").doesNotContain("unlisted");
    assertThat(shown.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  @Test
  void theDenialsOfAllNodesAreListedTogether() {
    denied(one, "k2.secret-of-all", "Tell", 1);
    denied(two, "k2.secret-of-all", "Tell", 1);

    JsonObject listed = NodeFixture.json(look(one, "/v1/denials?tenant=acme&key=k2"));

    assertThat(listed.getInteger("nodesAsked")).isEqualTo(2);
    assertThat(listed.getInteger("nodesAnswered")).isEqualTo(2);
    assertThat(rows(listed, "denials"))
        .hasSizeGreaterThanOrEqualTo(2)
        .allSatisfy(denial -> assertThat(denial.getString("key")).isEqualTo("k2"));
    assertThat(rows(listed, "denials").stream()
            .map(denial -> denial.getString("node"))
            .distinct())
        .hasSize(2);
    assertThat(rows(listed, "denials").get(0).getJsonArray("full").encode())
        .contains("\"scope\":\"tenant\"");
    assertThat(rows(NodeFixture.json(look(two, "/v1/denials?limit=1")), "denials"))
        .hasSize(1);
  }

  @Test
  void theGatewaysAnswerHasTheId() {
    HttpResponse<String> last = one.get("/ask", "X-Api-Key", "k3.secret-of-all");
    for (int i = 0; i < 100 && last.statusCode() != 429; i++) {
      last = one.get("/ask", "X-Api-Key", "k3.secret-of-all");
    }

    assertThat(last.statusCode()).isEqualTo(429);
    String id = last.headers().firstValue("Weir-Decision").orElseThrow();
    assertThat(NodeFixture.json(last).getString("id")).isEqualTo(id);
    assertThat(look(two, "/v1/denials/" + id).statusCode()).isEqualTo(200);
  }

  @Test
  void aRequestThatWaitedAndPassedIsNoDenial() {
    for (int i = 0; i < 8; i++) {
      assertThat(one.get("/wait", "X-Api-Key", "patient.secret-of-all").statusCode())
          .isEqualTo(200);
    }

    assertThat(rows(NodeFixture.json(look(one, "/v1/denials?key=patient")), "denials"))
        .isEmpty();
  }

  @Test
  void whatAnEndedNodeToldIsNotCountedAndSoonForgotten() {
    redis.ask("HSET weir:top gone 1000");
    String mine = redis
        .ask("HKEYS weir:top")
        .lines()
        .filter(it -> it.contains("-"))
        .findFirst()
        .orElseThrow();
    redis.ask("HSET weir:top %s 1000".formatted(mine)); // as if it had told nothing for long

    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !redis.ask("HKEYS weir:top").contains("gone"));
    assertThat(NodeFixture.json(look(one, "/v1/top")).getInteger("nodes")).isLessThanOrEqualTo(2);
  }

  @Test
  void theTopOfAllNodesIsTheirSum() {
    for (int i = 0; i < 3; i++) {
      for (NodeFixture node : List.of(one, two)) {
        String name = new JsonObject()
            .put("subject", "user:47/e")
            .put("operation", "Ask")
            .put("cost", 40)
            .encode();
        node.post("/v1/check", name, "Authorization", "Bearer " + NodeFixture.SERVICE);
      }
    }

    await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
      JsonObject top = NodeFixture.json(look(two, "/v1/top"));
      assertThat(top.getInteger("nodes")).isEqualTo(2);
      assertThat(rows(top.getJsonObject("denied"), "keys"))
          .contains(new JsonObject()
              .put("tenant", "invented")
              .put("key", "user:47/e")
              .put("atLeast", 5)
              .put("atMost", 5));
      assertThat(rows(top.getJsonObject("denied"), "tenants"))
          .contains(new JsonObject().put("tenant", "invented").put("atLeast", 5).put("atMost", 5));
      assertThat(rows(top.getJsonObject("denied"), "limits")).anySatisfy(row -> {
        assertThat(row.getString("plan")).isEqualTo("free");
        assertThat(row.getString("operation")).isEqualTo("Ask");
        assertThat(row.getString("limit")).isEqualTo("requests");
      });
    });
    assertThat(redis.ask("PTTL weir:top")).matches(":?\\d+\\s*");
  }

  @Test
  void whoIsNearlyDeniedIsListedToo() {
    String body = new JsonObject()
        .put("subject", "user:near")
        .put("operation", "Ask")
        .put("cost", 50)
        .encode();
    one.post("/v1/check", body, "Authorization", "Bearer " + NodeFixture.SERVICE);

    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(
                rows(NodeFixture.json(look(two, "/v1/top?limit=32")).getJsonObject("near"), "keys"))
            .anySatisfy(row -> {
              assertThat(row.getString("key")).isEqualTo("user:near");
              assertThat(row.getLong("atLeast")).isEqualTo(1);
            }));
    assertThat(rows(cases(two, "?state=nearly"), "cases"))
        .filteredOn(one -> "user:near".equals(one.getString("key")))
        .singleElement()
        .satisfies(one -> assertThat(one.getString("limit")).isEqualTo("requests"));
  }

  // A node on a busy machine may answer too late.
  private static JsonObject cases(NodeFixture node, String query) {
    return await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> NodeFixture.json(look(node, "/v1/cases" + query)),
            found -> found.getInteger("nodesAnswered") == 2);
  }

  @Test
  void whoIsLimitedIsACaseWithTheDenialsOfAllNodes() {
    for (NodeFixture node : List.of(one, two, two)) {
      assertThat(denied(node, "k5.secret-of-all", "Ask", 55).getString("decision"))
          .isEqualTo("denied");
    }

    JsonObject found = cases(one, "?tenant=lonely");
    assertThat(found.getInteger("total")).isEqualTo(1);
    JsonObject open = rows(found, "cases").get(0);
    assertThat(open.getString("key")).isEqualTo("k5");
    assertThat(open.getString("limit")).isEqualTo("requests");
    assertThat(open.getString("operation")).isEqualTo("Ask");
    assertThat(open.getLong("lastMinute")).isEqualTo(3);
    assertThat(open.getJsonArray("minutes")).hasSize(60);
    assertThat(Instant.parse(open.getString("since")))
        .isBeforeOrEqualTo(Instant.parse(open.getString("last")));
    assertThat(rows(cases(two, "?state=closed&tenant=lonely"), "cases")).isEmpty();
  }

  @Test
  void theCasesAreACommand() {
    denied(one, "k6.secret-of-all", "Ask", 55);

    String shown = weir("top", "--tenant", "a-very-long-name-of-a-tenant-indeed");
    assertThat(shown).startsWith("Limited now: 1");
    assertThat(shown.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    assertThat(shown.lines().toList().get(1)).matches("who +limit +since +last +1 min +1 h");
    assertThat(shown.lines().toList().get(2))
        .matches("a-very-long-name-of-a-t… requests +\\d+ s +\\d+ s +1 +1");
    assertThat(weir("top", "--tenant", "nobody")).startsWith("Limited now: 0");
    assertThat(weir("top", "--state", "closed", "--tenant", "nobody"))
        .startsWith("Closed in the last 24 hours: 0");
    assertThat(weir("top", "--state", "never")).contains("query_invalid", "now, nearly");
    assertThat(new JsonObject(weir("top", "--json", "--limit", "1")).getString("state"))
        .isEqualTo("now");
  }

  @Test
  void nothingIsWiderThanATerminal() {
    String id = denied(one, "k7.secret-of-all", "Ask", 55).getString("id");
    for (String command : List.of(
        "top",
        "denials",
        "denials " + id,
        "explain k7 Ask",
        "reset k7 --dry-run",
        "status",
        "warnings list",
        "work",
        "--help",
        "top --help")) {
      assertThat(weir(command.split(" ")).lines())
          .as(command)
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).as(line).hasSizeLessThanOrEqualTo(80));
    }
    assertThat(weir("denials").lines().toList().get(0))
        .matches(" *ago +id +who +operation +limit +retry after");
    assertThat(weir("explain", "k7", "Ask").lines().toList())
        .anyMatch(line -> line.matches("requests +\\d+ of 60 .*1 per s +key +plan.*"));
  }

  @Test
  void aMistypedOperationIsAMistake() {
    assertThat(weir("explain", "k7", "Aks"))
        .contains("operation_unknown", "operation: 'Aks' (expected: Ask)");
    assertThat(look(one, "/v1/explain?key=k7&operation=Nothing").statusCode()).isEqualTo(404);
    assertThat(look(one, "/v1/explain?key=k7&operation=unlisted").statusCode()).isEqualTo(200);
  }

  private static String weir(String... words) {
    StringWriter out = new StringWriter();
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--node", one.uri("/").toString(), "--admin-token", NodeFixture.ADMIN));
    WeirCommand.commandLine(Map.of(), Optional::empty)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(all.toArray(String[]::new));
    return out.toString();
  }

  @Test
  void whoAsksTooMuchIsRefusedAndNobodyIsToldThatRedisIsAway() throws IOException {
    URI address = URI.create(redis.uri());
    try (Socket silent = new Socket(address.getHost(), address.getPort())) {
      // A node that hears questions and does not answer: each one stays open for half a second.
      silent
          .getOutputStream()
          .write("SUBSCRIBE weir:questions\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(silent.getInputStream().read()).isPositive();
      askTooMuch();
    }
  }

  private static void askTooMuch() {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(one.uri("/v1/denials?limit=500"))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .build();
    List<CompletableFuture<HttpResponse<String>>> asked = IntStream.range(0, 200)
        .mapToObj(i -> client.sendAsync(request, HttpResponse.BodyHandlers.ofString()))
        .toList();
    List<HttpResponse<String>> answers =
        asked.stream().map(CompletableFuture::join).toList();
    assertThat(answers).allSatisfy(answer -> {
      if (answer.statusCode() == 200) {
        assertThat(NodeFixture.json(answer).getString("redis")).isEqualTo("answers");
      } else {
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("questions_full");
      }
    });
    assertThat(answers).anySatisfy(answer -> assertThat(answer.statusCode()).isEqualTo(200));
    assertThat(answers).anySatisfy(answer -> assertThat(answer.statusCode()).isEqualTo(503));
  }

  @Test
  void onlyOperatorsLook() {
    for (String path : List.of("/v1/top", "/v1/cases", "/v1/denials", "/v1/denials/0123456789ab")) {
      assertThat(one.get(path).statusCode()).isEqualTo(401);
      assertThat(one.get(path, "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
    }
    assertThat(look(one, "/v1/top?limit=33").statusCode()).isEqualTo(400);
    assertThat(look(one, "/v1/cases?limit=33").statusCode()).isEqualTo(400);
    assertThat(look(one, "/v1/cases?state=never").statusCode()).isEqualTo(400);
    assertThat(look(one, "/v1/cases?key=x").statusCode()).isEqualTo(400);
    assertThat(look(one, "/v1/denials?limit=501").statusCode()).isEqualTo(400);
    assertThat(look(one, "/v1/denials?id=x").statusCode()).isEqualTo(400);
  }
}
