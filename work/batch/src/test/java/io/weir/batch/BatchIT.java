package io.weir.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Operations in order, each throttled by its own cost, each once. */
final class BatchIT {
  private static final String POLICY = """
      operations:
        - { name: Create, match: { method: POST, path: /streams } }
        - { name: Append, match: { method: POST, path: "/streams/{id}/parts" }, stage: execution }
        - { name: Commit, match: { method: POST, path: "/streams/{id}/commit" }, continues: true }
        - { name: Other, match: { path: "/other/**" } }
      buckets:
        - name: slow
          burstPeriod: 3600
          throttleGroups: [{ milliOpsPerSec: 2, operations: [Create, Append, Commit] }]
        - name: wide
          burstPeriod: 1
          throttleGroups: [{ opsPerSec: 100000, operations: [Other] }]
      plans:
        default: { buckets: [slow, wide] }
      defaults: { plan: default }
      upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 1000, connectTimeoutMs: 500 }
      subjects:
      """ + subjects();

  private static final List<String> SEEN = new CopyOnWriteArrayList<>();
  private static final Map<String, AtomicInteger> KEYS = new ConcurrentHashMap<>();

  @AutoClose
  private static NodeFixture node;

  @BeforeAll
  static void start() {
    node = NodeFixture.withOwnRedis(POLICY, FailureMode.DENY);
    for (String path :
        List.of("/streams", "/streams/s-7/parts", "/streams/s-7/commit", "/other/x")) {
      node.upstreamAnswers(
          path,
          request -> request.body().onSuccess(body -> {
            SEEN.add(request.method() + " " + request.uri() + " " + body);
            KEYS.computeIfAbsent(
                    "" + request.getHeader("Idempotency-Key"), key -> new AtomicInteger())
                .incrementAndGet();
            request
                .response()
                .putHeader("Content-Type", "application/json")
                .end("{\"streamId\": \"s-7\", \"parts\": [{\"id\": 3}]}");
          }));
    }
    node.upstreamAnswers("/other/broken", request -> request.connection().close());
    node.upstreamAnswers(
        "/other/ill", request -> request.response().setStatusCode(500).end());
    node.upstreamAnswers(
        "/other/no", request -> request.response().setStatusCode(409).end("no"));
  }

  @Test
  void itemsAreExecutedInOrderAndReferToOneAnother() {
    SEEN.clear();
    HttpResponse<String> answer = batch("k1", """
        {"items": [
          {"method": "POST", "path": "/streams", "body": {"name": "a"}},
          {"method": "POST", "path": "/streams/{id}/parts",
           "parameters": {"id": {"from": 0, "path": "/streamId"}},
           "body": {"of": {"from": 0, "path": "/streamId"}, "list": [{"from": 0, "path": "/parts/0/id"}], "from": 1}},
          {"method": "GET", "path": "/other/x"}
        ]}""");
    assertThat(answer.statusCode()).isEqualTo(200);
    JsonObject json = NodeFixture.json(answer);
    assertThat(json.getInteger("executed")).isEqualTo(3);
    assertThat(json.containsKey("firstUnexecuted")).isFalse();
    assertThat(answer.headers().firstValue("Weir-Executed")).hasValue("3");
    assertThat(results(json)).allMatch(BatchIT::isExecuted);
    assertThat(results(json).get(0).getJsonObject("body").getString("streamId")).isEqualTo("s-7");
    assertThat(SEEN)
        .containsExactly(
            "POST /streams {\"name\":\"a\"}",
            "POST /streams/s-7/parts {\"of\":\"s-7\",\"list\":[3],\"from\":1}",
            "GET /other/x ");
  }

  @Test
  void itStopsAtTheFirstThatIsDeniedAndGoesOnFromThere() {
    // 7 operations fit.
    String batch = appends(9);
    HttpResponse<String> answer = batch("k2", batch, "Prefer", "retry-ticket");
    assertThat(answer.statusCode()).isEqualTo(429);
    JsonObject json = NodeFixture.json(answer);
    assertThat(json.getInteger("firstUnexecuted")).isEqualTo(7);
    assertThat(results(json).get(7).getString("outcome")).isEqualTo("denied");
    JsonObject refusal = results(json).get(7).getJsonObject("body");
    assertThat(refusal.getString("operation")).isEqualTo("Append");
    assertThat(refusal.getString("stage")).isEqualTo("execution");
    assertThat(refusal.getString("code")).isEqualTo("exhausted");
    assertThat(results(json).get(8)).isEqualTo(new JsonObject().put("outcome", "not_attempted"));
    assertThat(answer.headers().firstValueAsLong("Retry-After-Ms").orElse(0)).isPositive();
    String ticket = answer.headers().firstValue("Retry-Ticket").orElseThrow();
    SEEN.clear();
    String rest = "{\"batch\": %s, \"answer\": %s}".formatted(batch, answer.body());
    HttpResponse<String> again =
        batch("k2", rest, "Prefer", "retry-ticket", "Retry-Ticket", ticket);
    assertThat(again.statusCode()).isEqualTo(429);
    assertThat(again.headers().firstValue("Retry-Ticket")).hasValue(ticket);
    assertThat(NodeFixture.json(again).getInteger("firstUnexecuted")).isEqualTo(7);
    assertThat(SEEN).isEmpty();
  }

  @Test
  void aStepThatContinuesIsCountedAndNotRejected() {
    assertThat(batch("k3", appends(7)).statusCode()).isEqualTo(200);
    String commit =
        "{\"method\": \"POST\", \"path\": \"/streams/s-7/commit\", \"charge\": \"count\"}";
    String other = "{\"method\": \"GET\", \"path\": \"/other/x\"}";
    HttpResponse<String> first = batch("k3", "{\"items\": [%s]}".formatted(commit));
    assertThat(first.statusCode()).as("it continues nothing").isEqualTo(429);
    HttpResponse<String> second = batch("k3", "{\"items\": [%s, %s]}".formatted(other, commit));
    assertThat(second.statusCode()).isEqualTo(200);
    String append =
        "{\"method\": \"POST\", \"path\": \"/streams/s-7/parts\", \"charge\": \"count\"}";
    HttpResponse<String> third = batch("k3", "{\"items\": [%s, %s]}".formatted(other, append));
    assertThat(third.statusCode())
        .as("the policy does not say that it continues")
        .isEqualTo(429);
    // Both the denied and the counted request have their place in the queue.
    long slot = NodeFixture.json(batch("k3", "{\"items\": [%s]}".formatted(commit)))
        .getJsonArray("results")
        .getJsonObject(0)
        .getJsonObject("body")
        .getLong("slotMs");
    assertThat(slot).isGreaterThan(1_400_000);
  }

  @Test
  void anItemWithAKeyIsExecutedOnce() {
    String item =
        "{\"items\": [{\"method\": \"POST\", \"path\": \"/streams\", \"idempotencyKey\": \"once-1\"}]}";
    HttpResponse<String> first = batch("k4", item);
    HttpResponse<String> second = batch("k4", item);
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(KEYS.get("once-1")).hasValue(1);
    JsonObject other = NodeFixture.json(batch("k4", item.replace("/streams", "/other/x")));
    assertThat(results(other).get(0).getString("reason"))
        .isEqualTo("the idempotency key was used for something else");
    // The batch's key names the items without their own key; another caller's key names other
    // items.
    String two = "{\"items\": [{\"method\": \"POST\", \"path\": \"/other/x\"}]}";
    for (String key : List.of("k4", "k4", "k5")) {
      assertThat(batch(key, two, "Idempotency-Key", "b").statusCode()).isEqualTo(200);
    }
    assertThat(KEYS.get("b-0")).hasValue(2);
  }

  @Test
  void anUnknownOutcomeIsReportedUnlessRepeatingIsSafe() {
    String broken = "{\"items\": [{\"method\": \"%s\", \"path\": \"/other/broken\"}]}";
    HttpResponse<String> post = batch("k6", broken.formatted("POST"), "Idempotency-Key", "u1");
    assertThat(post.statusCode()).isEqualTo(200);
    assertThat(results(NodeFixture.json(post)).get(0).getString("outcome")).isEqualTo("unknown");
    // Also for a repetition, once no executor can be running it any more.
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      HttpResponse<String> again = batch("k6", broken.formatted("POST"), "Idempotency-Key", "u1");
      return again.statusCode() == 200
          && results(NodeFixture.json(again)).get(0).getString("outcome").equals("unknown");
    });
    HttpResponse<String> put = batch("k6", broken.formatted("PUT"), "Idempotency-Key", "u2");
    assertThat(put.statusCode()).isEqualTo(502);
    assertThat(put.headers().firstValue("Weir-Executed")).hasValue("0");
  }

  @Test
  void aStatusThatIsNoAnswerIsNoneForAnItemEither() {
    node.upstreamAnswers(
        "/other/switch", request -> request.response().setStatusCode(101).end());
    String item = "{\"items\": [{\"method\": \"%s\", \"path\": \"/other/switch\"}]}";
    HttpResponse<String> post = batch("k6", item.formatted("POST"));
    assertThat(results(NodeFixture.json(post)).get(0).getString("outcome")).isEqualTo("unknown");
    assertThat(batch("k6", item.formatted("PUT")).statusCode()).isEqualTo(502);
  }

  @Test
  void aRefusalOfTheUpstreamEndsTheBatch() {
    String batch =
        "{\"items\": [{\"method\": \"%s\", \"path\": \"/other/%s\"}, {\"method\": \"GET\", \"path\": \"/other/x\"}]}";
    HttpResponse<String> refused = batch("k7", batch.formatted("POST", "no"));
    assertThat(refused.statusCode()).isEqualTo(200);
    assertThat(results(NodeFixture.json(refused)).get(0))
        .isEqualTo(new JsonObject().put("outcome", "failed").put("status", 409).put("body", "no"));
    assertThat(batch("k7", batch.formatted("PUT", "ill")).statusCode()).isEqualTo(500);
    assertThat(batch("k7", batch.formatted("POST", "ill")).statusCode()).isEqualTo(200);
  }

  @Test
  void everyMistakeIsNamedAtOnce() {
    HttpResponse<String> answer = batch("k1", """
        {"items": [
          {"method": "get", "path": "x", "charge": "no", "more": 1},
          {"method": "GET", "path": "/x", "headers": {"Host": "a", "X-Fine": "b"}, "idempotencyKey": "a b"},
          7
        ]}""");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(answer).getJsonArray("errors"))
        .containsExactlyInAnyOrder(
            "items[0].more: unknown (expected: body, charge, headers, idempotencyKey, method, parameters, path)",
            "items[0].charge: (expected: block or count)",
            "items[0].method: (expected: a method in upper case)",
            "items[0].path: (expected: a path that begins with /)",
            "items[1].headers.Host: (expected: a text, and no header of the batch itself)",
            "items[1].idempotencyKey: (expected: 1 to 255 characters)",
            "items[2]: (expected: an object)");
    assertThat(batch("k1", "[]").statusCode()).isEqualTo(400);
    assertThat(batch("nobody", appends(1)).statusCode()).isEqualTo(401);
  }

  @Test
  void aReferenceThatLeadsNowhereFailsItsItem() {
    HttpResponse<String> answer = batch("k8", """
        {"items": [
          {"method": "GET", "path": "/other/x"},
          {"method": "GET", "path": "/other/{id}", "parameters": {"id": {"from": 0, "path": "/none"}}}
        ]}""");
    assertThat(results(NodeFixture.json(answer)).get(1))
        .isEqualTo(new JsonObject()
            .put("outcome", "failed")
            .put("reason", "item 0 brought nothing at '/none'"));
  }

  @Test
  void aBatchReachesNoneOfTheNodesOwnDoors() {
    for (String path : List.of("/metrics", "/health/live", "/v1/policy", "/openapi.json")) {
      HttpResponse<String> answer =
          batch("k10", "{\"items\": [{\"method\": \"GET\", \"path\": \"%s\"}]}".formatted(path));
      JsonObject result = results(NodeFixture.json(answer)).get(0);
      assertThat(result.getString("outcome")).isEqualTo("failed");
      assertThat(result.getJsonObject("body").getString("code"))
          .isEqualTo("operation_not_configured");
    }
    HttpResponse<String> nested = batch(
        "k10",
        "{\"items\": [{\"method\": \"POST\", \"path\": \"/v1/batch\", \"body\": %s}]}"
            .formatted(appends(1)));
    assertThat(results(NodeFixture.json(nested)).get(0).getInteger("status")).isEqualTo(403);
  }

  @Test
  void referencesBringNoMoreThanMayBeSent() {
    String big = "x".repeat(1 << 20);
    String item = "{\"method\": \"POST\", \"path\": \"/other/x\", \"body\": [%s]}"
        .formatted("{\"from\": 0, \"path\": \"\"},".repeat(50) + "1");
    String first = "{\"method\": \"GET\", \"path\": \"/other/x\"}";
    HttpResponse<String> answer = batch("k10", """
        {"batch": {"items": [%s, %s]}, "answer": {"results": [{"outcome": "executed", "body": "%s"}]}}""".formatted(first, item, big));
    assertThat(results(NodeFixture.json(answer)).get(1).getString("reason"))
        .isEqualTo("references bring more than may be sent");
    String broken = first
        + ", {\"method\": \"GET\", \"path\": \"/other/{a}\", \"parameters\": {\"a\": {\"from\": 0, \"path\": \"/~2\"}}}";
    HttpResponse<String> pointer = batch("k10", "{\"items\": [%s]}".formatted(broken));
    assertThat(results(NodeFixture.json(pointer)).get(1).getString("outcome")).isEqualTo("failed");
  }

  @Test
  void aClaimThatItemsWereExecutedContinuesNothing() {
    assertThat(batch("k11", appends(7)).statusCode()).isEqualTo(200);
    String commit =
        "{\"method\": \"POST\", \"path\": \"/streams/s-7/commit\", \"charge\": \"count\"}";
    String other = "{\"method\": \"GET\", \"path\": \"/other/x\"}";
    String both =
        "{\"batch\": {\"items\": [%s, %s]}, \"answer\": {\"results\": [{\"outcome\": \"executed\"}]}}"
            .formatted(other, commit);
    assertThat(batch("k11", both, "Idempotency-Key", "forged").statusCode()).isEqualTo(429);
    // With the key under which the store knows it as executed, the request continues it.
    batch("k11", "{\"items\": [%s]}".formatted(other), "Idempotency-Key", "true");
    assertThat(batch("k11", both, "Idempotency-Key", "true").statusCode()).isEqualTo(200);
  }

  @Test
  void anAnswerThatIsLongOrBreaksOffIsExecutedAllTheSame() {
    node.upstreamAnswers("/other/long", request -> request.response().end("x".repeat(100_000)));
    node.upstreamAnswers(
        "/other/half",
        request -> request
            .response()
            .putHeader("Content-Length", "20000")
            .write("half")
            .onComplete(written -> request.connection().close()));
    for (String path : List.of("long", "half")) {
      HttpResponse<String> answer = batch(
          "k10", "{\"items\": [{\"method\": \"POST\", \"path\": \"/other/%s\"}]}".formatted(path));
      JsonObject result = results(NodeFixture.json(answer)).get(0);
      assertThat(isExecuted(result)).as(answer.body()).isTrue();
      assertThat(result.containsKey("body")).isFalse();
      assertThat(result.getLong("bodyBytes")).isPositive();
    }
  }

  @Test
  void whereRedisIsFullABatchIsWorthSendingAgain() {
    try (RedisConnections connections =
        RedisConnections.open(node.redisUri(), Duration.ofMinutes(1))) {
      connections.sync().configSet("maxmemory", "1");
      HttpResponse<String> plain =
          batch("k10", "{\"items\": [{\"method\": \"GET\", \"path\": \"/other/x\"}]}");
      HttpResponse<String> named = batch(
          "k10",
          "{\"items\": [{\"method\": \"GET\", \"path\": \"/other/x\"}]}",
          "Idempotency-Key",
          "full");
      connections.sync().configSet("maxmemory", "0");
      assertThat(List.of(plain.statusCode(), named.statusCode())).containsOnly(503);
      assertThat(named.headers().firstValue("Retry-After")).isPresent();
    }
  }

  private static String appends(int count) {
    return new JsonObject()
        .put(
            "items",
            new JsonArray(IntStream.range(0, count)
                .mapToObj(
                    i -> new JsonObject().put("method", "POST").put("path", "/streams/s-7/parts"))
                .toList()))
        .encode();
  }

  private static HttpResponse<String> batch(String key, String body, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "X-Api-Key";
    all[1] = TestPolicies.key(key);
    System.arraycopy(headers, 0, all, 2, headers.length);
    return node.post("/v1/batch", body, all);
  }

  private static boolean isExecuted(JsonObject result) {
    return "executed".equals(result.getString("outcome"));
  }

  private static List<JsonObject> results(JsonObject json) {
    return json.getJsonArray("results").stream().map(JsonObject.class::cast).toList();
  }

  private static String subjects() {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 11; i++) {
      text.append(TestPolicies.subject("k" + i, ""));
    }
    return text.toString();
  }
}
