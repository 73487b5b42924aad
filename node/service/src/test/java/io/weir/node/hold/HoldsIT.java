package io.weir.node.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ScriptOutputType;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Quotas, permits and reservations, as callers of a node see them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HoldsIT {
  private static final int STREAMS = 200;
  private static final String POLICY = """
      operations:
        - { name: Ask, match: { method: POST, path: /ask }, cost: { json: /max_tokens, default: 100 },
            settle: { usage: openai, lease: 3s } }
        - { name: Watch, match: { method: GET, path: /watch } }
        - { name: Gas, cost: 10, settle: { lease: 2s }, stage: execution }
        - { name: Door, cost: 1, stage: door }
        - { name: Stop, match: { method: GET, path: /stop }, settle: { header: X-Cost } }
      buckets:
        - name: tokens
          burstPeriod: 1000000
          throttleGroups: [{ milliOpsPerSec: 1000, operations: [Ask] }]
        - name: gas
          burstPeriod: 100000
          throttleGroups: [{ milliOpsPerSec: 1, operations: [Gas, Door] }]
        - name: stops
          burstPeriod: 1000
          throttleGroups: [{ milliOpsPerSec: 10, operations: [Stop] }]
      quotas:
        - { name: day, scope: tenant, limit: 1000000, period: day, zone: Europe/Berlin, operations: [Ask], near: 1 }
      permits:
        - { name: streams, limit: 3, lease: 1s, operations: [Watch] }
      upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 20000, connectTimeoutMs: 20000 }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("k3", "")
      + TestPolicies.subject("k4", "")
      + TestPolicies.subject("k5", "");

  private final AtomicLong counted = new AtomicLong();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger finished = new AtomicInteger();
  private final ConcurrentLinkedQueue<HttpServerResponse> watching = new ConcurrentLinkedQueue<>();
  private final Vertx vertx = Vertx.vertx();
  private NodeFixture fixture;

  @BeforeAll
  void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers("/ask", this::stream);
    fixture.upstreamAnswers("/watch", request -> {
      request.response().setChunked(true).write("begun\n");
      watching.add(request.response());
    });
    fixture.upstreamAnswers(
        "/stop", request -> request.response().putHeader("X-Cost", "4").end("stopped"));
  }

  @AfterAll
  void stop() {
    fixture.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  // As many tokens as the caller wants; the upstream goes on even if the caller stops reading.
  private void stream(HttpServerRequest request) {
    begun.incrementAndGet();
    request.body().onSuccess(body -> {
      int tokens = body.toJsonObject().getInteger("tokens");
      HttpServerResponse response = request.response();
      response.putHeader("Content-Type", "text/event-stream").setChunked(true);
      tell(response, 0, tokens);
    });
  }

  private void tell(HttpServerResponse response, int told, int tokens) {
    if (told < tokens) {
      response.write("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
      vertx.setTimer(1, next -> tell(response, told + 1, tokens));
      return;
    }
    counted.addAndGet(5 + tokens);
    response.write(
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":%d,\"total_tokens\":%d}}\n\n"
            .formatted(tokens, 5 + tokens));
    response.end("data: [DONE]\n\n").onComplete(end -> finished.incrementAndGet());
  }

  @Test
  void settledTotalsEqualTheUpstreamsOwnCountToTheToken() throws IOException {
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    List<Socket> cancelled = new ArrayList<>();
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < STREAMS; i++) {
      String body = "{\"max_tokens\":%d,\"tokens\":%d}".formatted(20 + i % 50, 10 + i % 37);
      String key = "k" + (1 + i % 3);
      if (i % 4 == 0) {
        Socket socket = fixture.connect();
        NodeFixture.write(
            socket,
            "POST /ask HTTP/1.1\r\nHost: a\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(TestPolicies.key(key), body.length(), body));
        cancelled.add(socket);
      } else {
        answers.add(client.sendAsync(
            HttpRequest.newBuilder(fixture.uri("/ask"))
                .header("X-Api-Key", TestPolicies.key(key))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString()));
      }
    }
    for (Socket socket : cancelled) {
      assertThat(socket.getInputStream().read()).isPositive();
      socket.close();
    }
    // On a busy machine a connection may fail before anything is sent: then nothing is charged.
    answers.forEach(answer -> assertThat(answer.join().body())
        .matches(body -> body.endsWith("data: [DONE]\n\n") || body.contains("\"sent\":false")));
    await().atMost(Duration.ofMinutes(1)).until(() -> finished.get() == begun.get());
    assertThat(begun.get()).isGreaterThan(STREAMS * 9 / 10);
    await().atMost(Duration.ofMinutes(1)).until(() -> open("weir:holds") == 0);
    assertThat(used("weir:{72nw}:acme:tenant:counters", "day")).isEqualTo(counted.get());
    // The bucket drains a thousand thousandths a second; the rest was settled.
    String near = fixture
        .post("/ask", "{\"max_tokens\":1,\"tokens\":1}", "X-Api-Key", TestPolicies.key("k1"))
        .headers()
        .firstValue("RateLimit")
        .orElseThrow();
    assertThat(near).contains("\"tokens\";r=").contains("\"day\";r=");
  }

  @Test
  void aStreamOfThreeLeasesKeepsItsPermitAndACancelFreesIt() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sockets.add(watch("k2"));
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> watching.size() >= 3);
    // Tries for three leases of one second each: a fourth stream is never admitted.
    for (int i = 0; i < 12; i++) {
      HttpResponse<String> denied = fixture.get("/watch", "X-Api-Key", TestPolicies.key("k2"));
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(NodeFixture.json(denied).getJsonArray("limits"))
          .isEqualTo(new JsonArray()
              .add(new JsonObject()
                  .put("name", "streams")
                  .put("kind", "permit")
                  .put("scope", "key")));
      await().pollDelay(Duration.ofMillis(250)).until(() -> true);
    }
    sockets.get(0).close();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> open("weir:{72nw}:acme:key:k2:permits:streams") == 2);
    try (Socket again = watch("k2")) {
      assertThat(again.getInputStream().read()).isPositive();
    }
    for (Socket socket : sockets) {
      socket.close();
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> open("weir:{72nw}:acme:key:k2:permits:streams") == 0);
  }

  @Test
  void aServiceReservesAndSettlesAndARepetitionGetsTheSameAnswer() {
    JsonObject reserved = NodeFixture.json(reserve("k3", ",\"cost\":60"));
    String path = "/v1/reservations/" + reserved.getString("reservation");
    assertThat(reserved.getLong("leaseMs")).isEqualTo(2000);
    assertThat(reserve("k3", ",\"cost\":60").statusCode()).isEqualTo(429);
    JsonObject refusal = NodeFixture.json(reserve("k3", ",\"cost\":60"));
    assertThat(refusal.getString("code")).isEqualTo("exhausted");
    assertThat(refusal.getString("operation")).isEqualTo("Gas");
    assertThat(refusal.getString("stage")).isEqualTo("execution");
    assertThat(NodeFixture.json(settle(path, "{\"cost\":20}")))
        .isEqualTo(
            new JsonObject().put("status", "settled").put("cost", 20).put("repeated", false));
    assertThat(NodeFixture.json(settle(path, "{\"cost\":1}")))
        .isEqualTo(new JsonObject().put("status", "settled").put("cost", 20).put("repeated", true));
    JsonObject again = NodeFixture.json(reserve("k3", ",\"cost\":80,\"id\":\"mine\""));
    assertThat(again.getString("reservation")).isEqualTo("acme.k3.mine");
    assertThat(reserve("k3", ",\"cost\":80,\"id\":\"mine\"").statusCode()).isEqualTo(201);
    HttpResponse<String> renewed = post("/v1/reservations/acme.k3.mine/renew", "");
    assertThat(NodeFixture.json(renewed)).isEqualTo(new JsonObject().put("leaseMs", 2000));
    assertThat(post("/v1/reservations/acme.k3.none/renew", "").statusCode()).isEqualTo(404);
    assertThat(
            NodeFixture.json(post("/v1/reservations/acme.k3.mine/cancel", "")).getString("status"))
        .isEqualTo("cancelled");
    assertThat(reserve("k3", ",\"cost\":80,\"id\":\"mine\"").statusCode()).isEqualTo(409);
  }

  @Test
  void theIdOfAReservationIsGoodForOneRequestAlone() {
    String first = ",\"cost\":1,\"id\":\"call-17\"";
    assertThat(reserve("k5", first).statusCode()).isEqualTo(201);
    List<String> others = List.of(
        "{\"subject\":\"k5\",\"operation\":\"Gas\",\"cost\":1000,\"id\":\"call-17\"}",
        "{\"subject\":\"k5\",\"operation\":\"Gas\",\"id\":\"call-17\"}",
        "{\"subject\":\"k5\",\"operation\":\"Gas\",\"cost\":1,\"leaseMs\":9000,\"id\":\"call-17\"}",
        "{\"subject\":\"k5\",\"operation\":\"Door\",\"cost\":1,\"id\":\"call-17\"}");
    for (String other : others) {
      HttpResponse<String> refused = post("/v1/reservations", other);
      assertThat(refused.statusCode()).as(other).isEqualTo(409);
      assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("reservation_id_reused");
    }
    assertThat(reserve("k5", first).statusCode()).isEqualTo(201);
    assertThat(reserve("k5", ",\"cost\":99").statusCode()).isEqualTo(201);
  }

  @Test
  void aForgottenReservationIsGivenBack() {
    assertThat(reserve("k4", ",\"cost\":90,\"leaseMs\":500").statusCode()).isEqualTo(201);
    assertThat(reserve("k4", ",\"cost\":90").statusCode()).isEqualTo(429);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> reserve("k4", ",\"cost\":90").statusCode() == 201);
  }

  @Test
  void badInputOfReservationsGetsAClearAnswer() {
    assertThat(fixture.post("/v1/reservations", "{}").statusCode()).isEqualTo(401);
    JsonObject wrong = NodeFixture.json(post(
        "/v1/reservations", "{\"subject\":\"a b\",\"cost\":0,\"id\":\"\",\"leaseMs\":1,\"x\":1}"));
    assertThat(wrong.getString("code")).isEqualTo("reservation_invalid");
    assertThat(wrong.getJsonArray("errors")).hasSize(6);
    assertThat(post("/v1/reservations", "[]").statusCode()).isEqualTo(400);
    assertThat(post("/v1/reservations", "{\"subject\":\"nobody\",\"operation\":\"Gas\"}")
            .statusCode())
        .isEqualTo(404);
    assertThat(post("/v1/reservations/acme.k1.none/settle", "{\"cost\":1}").statusCode())
        .isEqualTo(404);
    assertThat(post("/v1/reservations/acme.k1.none/settle", "{\"cost\":-1}").statusCode())
        .isEqualTo(400);
    assertThat(post("/v1/reservations/../../x", "{}").statusCode()).isIn(400, 404);
    HttpResponse<String> check = fixture.post(
        "/v1/check", "{\"key\":\"%s\",\"operation\":\"Watch\"}".formatted(TestPolicies.key("k1")));
    assertThat(NodeFixture.json(check).getString("code")).isEqualTo("reservation_needed");
  }

  @Test
  void bodiesOfReservationsAreBounded() {
    String paths = "/v1/reservations/acme.k1.none/";
    for (String path :
        List.of("/v1/reservations", paths + "settle", paths + "cancel", paths + "renew")) {
      assertThat(post(path, " ".repeat(8193)).statusCode()).as(path).isEqualTo(413);
    }
  }

  @Test
  void anOperationIsSettledByAHeader() {
    for (int i = 0; i < 3; i++) {
      assertThat(fixture.get("/stop", "X-Api-Key", TestPolicies.key("k4")).statusCode())
          .isIn(200, 429);
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> fixture.get("/stop", "X-Api-Key", TestPolicies.key("k4")).statusCode() == 429);
  }

  private Socket watch(String id) {
    Socket socket = fixture.connect();
    NodeFixture.write(
        socket,
        "GET /watch HTTP/1.1\r\nHost: a\r\nX-Api-Key: %s\r\n\r\n".formatted(TestPolicies.key(id)));
    return socket;
  }

  private HttpResponse<String> reserve(String subject, String more) {
    return post(
        "/v1/reservations",
        "{\"subject\":\"%s\",\"operation\":\"Gas\"%s}".formatted(subject, more));
  }

  private HttpResponse<String> settle(String path, String body) {
    return post(path + "/settle", body);
  }

  private HttpResponse<String> post(String path, String body) {
    return fixture.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  private long open(String key) {
    try (RedisConnections connections =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      return connections.sync().zcard(key);
    }
  }

  private long used(String key, String quota) throws IOException {
    try (RedisConnections connections =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      String show = Files.readString(Path.of("../../lua/show.lua"));
      List<String> shown = connections.sync().eval(show, ScriptOutputType.MULTI, key);
      String numbers = shown.get(shown.indexOf(quota) + 1);
      return Long.parseLong(numbers.split(",", -1)[2]);
    }
  }
}
