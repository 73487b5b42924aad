package io.weir.node.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.node.NodeFixture;
import io.weir.node.TestPolicies;
import io.weir.policy.FailureMode;
import io.weir.testkit.FreePorts;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Upstreams of providers as callers of a node, and the providers, meet them. */
final class ProvidersIT {
  // The value of a variable that every environment has stands for a secret.
  private static final String SECRET = System.getenv("PATH");

  private final Vertx vertx = Vertx.vertx();
  private final List<Consumer<HttpServerRequest>> answers = new CopyOnWriteArrayList<>();
  private final List<ConcurrentLinkedQueue<HttpServerRequest>> sent = new ArrayList<>();
  private NodeFixture fixture;

  private static void fine(HttpServerRequest request) {
    request.response().end("fine");
  }

  @BeforeEach
  void start() throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int number = i;
      answers.add(ProvidersIT::fine);
      sent.add(new ConcurrentLinkedQueue<>());
      ports.add(vertx
          .createHttpServer()
          .requestHandler(request -> request.body().onSuccess(body -> {
            sent.get(number).add(request);
            answers.get(number).accept(request);
          }))
          .listen(0, "127.0.0.1")
          .toCompletionStage()
          .toCompletableFuture()
          .get()
          .actualPort());
    }
    int closed = FreePorts.some(1).get(0);
    fixture = new NodeFixture(
        """
        operations:
          - { name: Ask, match: { path: /ask }, upstream: two }
          - { name: Lost, match: { path: /lost }, upstream: lost }
          - { name: Keyless, match: { path: /keyless }, upstream: keyless }
          - { name: Narrow, match: { path: /narrow }, upstream: narrow }
          - { name: Rpc, match: { path: /rpc }, upstream: rpc }
          - { name: Once, match: { path: /once }, upstream: rpc, attempts: 1 }
          - { name: Alpha, match: { path: /alpha }, upstream: shared, group: alpha }
          - { name: Beta, match: { path: /beta }, upstream: shared, group: beta }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask, Lost, Keyless, Narrow, Rpc, Once, Alpha, Beta] }] }
        upstreams:
          two:
            retry: { attempts: 3, initial: 5ms, budget: 100 }
            breaker: { failures: 50, calls: 4, window: 60s, open: 5s }
            timeoutMs: 1000
            providers:
              - { name: a, url: "http://127.0.0.1:%d", keys: [{ name: k1, variable: PATH }, { name: k2, variable: PATH, header: X-Key }] }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          lost:
            retry: { attempts: 2, initial: 5ms }
            providers:
              - { name: gone, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          keyless:
            providers: [{ name: a, url: "http://127.0.0.1:1", keys: [{ name: k, variable: NOT_SET_ANYWHERE_9 }] }]
          rpc:
            jsonRpc: true
            adaptive: { target: 500ms, initial: 10 }
            retry: { preset: storj, initial: 5ms, budget: 100 }
            providers:
              - { name: a, url: "http://127.0.0.1:%d" }
              - { name: b, url: "http://127.0.0.1:%d", tier: 1 }
          shared:
            maxInflight: 1
            providers: [{ name: a, url: "http://127.0.0.1:%d" }]
          narrow:
            maxInflight: 1
            maxQueue: 2
            queueTimeout: 300ms
            providers: [{ name: a, url: "http://127.0.0.1:%d" }]
        subjects:
        """.formatted(
                    ports.get(0),
                    ports.get(1),
                    closed,
                    ports.get(1),
                    ports.get(0),
                    ports.get(1),
                    ports.get(0),
                    ports.get(0))
            + TestPolicies.subject("k1", ""),
        FailureMode.DENY);
  }

  @AfterEach
  void stop() {
    fixture.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(fixture.uri(path)).header("X-Api-Key", TestPolicies.key("k1"));
  }

  private HttpResponse<String> get(String path) {
    return fixture.send(request(path));
  }

  private HttpResponse<String> post(String path, String body) {
    return fixture.send(request(path).POST(BodyPublishers.ofString(body)));
  }

  @Test
  void ourKeysGoToTheProvidersInTurnAndTheCallersDoesNot() {
    for (int i = 0; i < 4; i++) {
      assertThat(get("/ask").body()).isEqualTo("fine");
    }
    assertThat(sent.get(1)).isEmpty();
    assertThat(sent.get(0)).allMatch(request -> request.getHeader("X-Api-Key") == null);
    assertThat(sent.get(0))
        .anyMatch(request -> ("Bearer " + SECRET).equals(request.getHeader("Authorization"))
            || SECRET.equals(request.getHeader("X-Key")));
    String metrics = fixture.get("/metrics").body();
    assertThat(metrics)
        .contains(
            "throttle_upstream_attempts_total{key=\"k1\",outcome=\"good\",provider=\"a\",upstream=\"two\"}")
        .contains("throttle_upstream_wait_seconds_count{upstream=\"two\"} 4")
        .doesNotContain(SECRET);
  }

  @Test
  void nothingOfTheCallerIsToldToAProvider() {
    answers.set(0, request -> request.response().setStatusCode(429).end());
    HttpResponse<String> answer = fixture.send(
        request("/ask").header("Cookie", "mine").header("X_Key", "mine").header("X-Fine", "yes"));
    assertThat(answer.body()).isEqualTo("fine");
    HttpServerRequest other = sent.get(1).element();
    assertThat(other.headers().names())
        .doesNotContain(
            "Cookie",
            "X_Key",
            "X-Key",
            "Authorization",
            "X-Api-Key",
            "X-Forwarded-For",
            "Forwarded");
    assertThat(other.headers().names()).noneMatch(name -> name.startsWith("X-Weir"));
    assertThat(other.getHeader("X-Fine")).isEqualTo("yes");
  }

  @Test
  void anAnswerThatBreaksIsNotMixedWithAnother() {
    answers.set(0, request -> {
      request.response().putHeader("Content-Length", "100").putHeader("X-Half", "yes");
      request
          .response()
          .write("half")
          .onComplete(written -> vertx.setTimer(50, due -> request.connection().close()));
    });
    HttpResponse<String> broken = get("/ask");
    assertThat(broken.statusCode()).isEqualTo(502);
    assertThat(NodeFixture.json(broken).getString("code")).isEqualTo("upstream_unreachable");
    assertThat(broken.headers().firstValue("X-Half")).isEmpty();
    assertThat(broken.headers().allValues("Content-Length")).hasSize(1);
    assertThat(sent.get(1)).isEmpty();
  }

  private HttpResponse<String> permit(String path, String body) {
    return fixture.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  @Test
  void aProgramThatSendsByItselfSharesTheKeys() {
    JsonObject first = NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}"));
    assertThat(first.getString("provider")).isEqualTo("a");
    assertThat(first.getInteger("leaseMs")).isEqualTo(15_000);
    String path = "/v1/permits/" + first.getString("permit");
    assertThat(permit(path + "/renew", "").statusCode()).isEqualTo(200);
    String told = "{\"status\": 429, \"retryAfterMs\": 60000}";
    assertThat(NodeFixture.json(permit(path + "/release", told)).getBoolean("held"))
        .isTrue();
    assertThat(NodeFixture.json(permit(path + "/release", told)).getBoolean("held"))
        .isFalse();
    assertThat(permit(path + "/renew", "").statusCode()).isEqualTo(404);
    // The gateway heard of it, too.
    for (int i = 0; i < 3; i++) {
      get("/ask");
      String next =
          NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}")).getString("key");
      assertThat(next).isNotEqualTo(first.getString("key"));
    }
    assertThat(permit("/v1/permits", "{\"upstream\": \"none\"}").statusCode()).isEqualTo(404);
    HttpResponse<String> bad = permit("/v1/permits", "{\"up\": 1, \"waitMs\": -1}");
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(bad).getJsonArray("errors")).hasSize(3);
    assertThat(fixture.post("/v1/permits", "{}").statusCode()).isEqualTo(401);
  }

  @Test
  void whatAPermitSaysIsCheckedAndCountsOnce() {
    JsonObject taken = NodeFixture.json(permit("/v1/permits", "{\"upstream\": \"two\"}"));
    String path = "/v1/permits/" + taken.getString("permit");
    for (int i = 0; i < 10; i++) {
      assertThat(
              NodeFixture.json(permit(path + "/release", "{\"status\": 500}")).getBoolean("held"))
          .isEqualTo(i == 0);
    }
    // Ten failures would have opened its breaker.
    assertThat(get("/ask").body()).isEqualTo("fine");
    assertThat(sent.get(0)).hasSize(1);
    String id = path.substring(0, path.lastIndexOf('.')).replaceAll(".*\\.", "");
    for (String madeUp : List.of("two.none.k1.", "two.a.none.", "none.a.k1.", "two.b.k1.")) {
      assertThat(permit("/v1/permits/" + madeUp + id + ".0/release", "").statusCode())
          .as(madeUp)
          .isEqualTo(404);
    }
    String group = "{\"upstream\": \"two\", \"group\": \"made-up\"}";
    assertThat(permit("/v1/permits", group).statusCode()).isEqualTo(404);
  }

  @Test
  void aNodeWithoutAnyKeySaysSo() {
    HttpResponse<String> refused = get("/keyless");
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("upstream_key_missing");
  }

  @Test
  void aProviderThatCannotBeReachedIsNotWaitedFor() {
    assertThat(post("/lost", "body").statusCode()).isEqualTo(200);
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void aKeyThatHasHadEnoughIsLeftAloneAsLongAsItSays() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end("too much"));
    // Also what must not be repeated: a 429 has done nothing.
    for (int i = 0; i < 5; i++) {
      assertThat(post("/ask", "body " + i).body()).isEqualTo("fine");
    }
    assertThat(sent.get(0)).hasSize(2); // once by each key
    assertThat(sent.get(1)).hasSize(5);
  }

  @Test
  void whatMayHaveBeenDoneIsNotRepeatedUnlessItIsSafe() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    assertThat(post("/ask", "body").statusCode()).isEqualTo(500);
    assertThat(sent.get(1)).isEmpty();
    HttpResponse<String> repeated = get("/ask");
    assertThat(repeated.body()).isEqualTo("fine");
    assertThat(sent.get(1)).hasSize(1);
  }

  @Test
  void theLastAnswerIsToldAsItIs() {
    answers.replaceAll(
        answer -> request -> request.response().setStatusCode(502).end("bad gateway of theirs"));
    HttpResponse<String> last = get("/ask");
    assertThat(last.statusCode()).isEqualTo(502);
    assertThat(last.body()).isEqualTo("bad gateway of theirs");
    assertThat(sent.get(0).size() + sent.get(1).size()).isEqualTo(3);
  }

  @Test
  void aProviderThatFailsIsLeftAloneAndTriedAgainByOneRequest() {
    answers.set(0, request -> request.response().setStatusCode(500).end("no"));
    for (int i = 0; i < 20; i++) {
      assertThat(get("/ask").body()).isEqualTo("fine");
    }
    assertThat(sent.get(0)).hasSize(4);
    int before = sent.get(0).size();
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> get("/ask").statusCode() == 200 && sent.get(0).size() > before);
    assertThat(sent.get(0)).hasSize(before + 1);
    answers.set(0, ProvidersIT::fine);
    int unwell = sent.get(0).size();
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> get("/ask").statusCode() == 200 && sent.get(0).size() > unwell);
    int well = sent.get(0).size();
    get("/ask");
    assertThat(sent.get(0)).hasSize(well + 1);
    String metrics = fixture.get("/metrics").body();
    for (String to : List.of("open", "half_open", "closed")) {
      assertThat(metrics)
          .contains(
              "throttle_upstream_breaker_transitions_total{provider=\"a\",to=\"%s\",upstream=\"two\"}"
                  .formatted(to));
    }
    assertThat(metrics).contains("throttle_upstream_breaker{provider=\"a\",upstream=\"two\"} 0.0");
  }

  @Test
  void whereAllHaveFailedItIsSaidUntilWhen() {
    answers.replaceAll(
        answer -> request -> request.response().setStatusCode(500).end("no"));
    await().atMost(Duration.ofSeconds(40)).until(() -> post("/ask", "x").statusCode() == 503);
    HttpResponse<String> open = get("/ask");
    assertThat(open.statusCode()).isEqualTo(503);
    assertThat(NodeFixture.json(open).getString("code")).isEqualTo("upstream_open");
    assertThat(open.headers().firstValue("Retry-After").orElse("")).matches("[1-5]");
  }

  @Test
  void aQueueHasAnEndAndADeadline() throws Exception {
    ConcurrentLinkedQueue<HttpServerRequest> held = new ConcurrentLinkedQueue<>();
    answers.set(0, held::add);
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(CompletableFuture.supplyAsync(() -> get("/narrow")));
    }
    await().until(() -> all.stream().filter(CompletableFuture::isDone).count() >= 39);
    assertThat(held).hasSize(1);
    held.element().response().end("fine");
    List<Integer> statuses = new ArrayList<>();
    for (CompletableFuture<HttpResponse<String>> one : all) {
      statuses.add(one.get().statusCode());
    }
    assertThat(statuses).containsOnly(200, 429, 503).containsOnlyOnce(200);
    // The permit is free again.
    answers.set(0, ProvidersIT::fine);
    assertThat(get("/narrow").statusCode()).isEqualTo(200);
  }

  private static Consumer<HttpServerRequest> rpc(String body, boolean isChunked) {
    return request -> {
      request.response().putHeader("Content-Type", "application/json").setChunked(isChunked);
      if (isChunked) {
        int half = body.length() / 2;
        request
            .response()
            .write(body.substring(0, half))
            .onSuccess(written -> request.response().end(body.substring(half)));
      } else {
        request.response().end(body);
      }
    };
  }

  @Test
  void anErrorOfJsonRpcThatMeansTooManyIsAnsweredByAnotherProvider() {
    String error =
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {\"code\": -32005, \"message\": \"limit\"}}";
    answers.set(1, rpc("{\"result\": 1}", false));
    for (boolean isChunked : new boolean[] {true, false}) {
      answers.set(0, rpc(error, isChunked));
      assertThat(post("/rpc", "{}").body()).isEqualTo("{\"result\": 1}");
      assertThat(post("/once", "{}").body()).isEqualTo(error);
    }
    assertThat(sent.get(0)).hasSize(4);
    assertThat(sent.get(1)).hasSize(2);
  }

  @Test
  void anAnswerThatWasLookedIntoIsWhole() {
    for (String body :
        List.of("x", "{\"result\": \"" + "x".repeat(50_000) + "\"}", "y".repeat(4095), "")) {
      for (boolean isChunked : new boolean[] {true, false}) {
        answers.set(0, rpc(body, isChunked));
        assertThat(post("/rpc", "{}").body()).isEqualTo(body);
      }
    }
    String metrics = fixture.get("/metrics").body();
    assertThat(metrics)
        .containsPattern("throttle_upstream_inflight\\{upstream=\"rpc\"} [01].0")
        .containsPattern("throttle_upstream_limit\\{upstream=\"rpc\"} 1[1-8].0")
        .contains("throttle_upstream_breaker{provider=\"a\",upstream=\"rpc\"} 0.0");
  }

  @Test
  void anAnswerThatBreaksWhileItIsLookedIntoIsNoAnswer() {
    answers.set(0, request -> {
      request
          .response()
          .putHeader("Content-Type", "application/json")
          .putHeader("Content-Length", "100");
      request
          .response()
          .write("{\"error\":")
          .onComplete(written -> vertx.setTimer(50, due -> request.connection().close()));
    });
    HttpResponse<String> broken = post("/rpc", "{}");
    assertThat(broken.statusCode()).isEqualTo(502);
    assertThat(sent.get(1)).isEmpty();
    assertThat(get("/rpc").body()).isEqualTo("fine");
  }

  @Test
  void whoComesAfterOneThatCouldNotWaitIsHeard() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    assertThat(get("/narrow").statusCode()).isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> late = get("/narrow");
      assertThat(late.statusCode()).isEqualTo(503);
      assertThat(NodeFixture.json(late).getString("code")).isEqualTo("upstream_queue_timeout");
    }
  }

  @Test
  void groupsAndEventLoopsTakeTurnsWhereThereIsNoRoom() throws Exception {
    answers.set(0, request -> vertx.setTimer(5, due -> request.response().end("fine")));
    ConcurrentLinkedQueue<String> served = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(120);
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(12);
    for (int i = 0; i < 12; i++) {
      String path = i % 2 == 0 ? "/alpha" : "/beta";
      callers.add(CompletableFuture.runAsync(
          () -> {
            while (left.getAndDecrement() > 0) {
              assertThat(get(path).body()).isEqualTo("fine");
              served.add(path);
            }
          },
          threads));
    }
    for (CompletableFuture<Void> one : callers) {
      one.get();
    }
    threads.shutdown();
    long alpha = served.stream().filter("/alpha"::equals).count();
    assertThat(served).hasSize(120);
    assertThat(alpha).isBetween(40L, 80L);
  }

  private HttpResponse<String> batch(String items) {
    return fixture.send(request("/v1/batch")
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString("{\"items\": [" + items + "]}")));
  }

  private static List<String> outcomes(HttpResponse<String> batch) {
    return NodeFixture.json(batch).getJsonArray("results").stream()
        .map(result -> ((JsonObject) result).getString("outcome"))
        .toList();
  }

  @Test
  void itemsOfBatchesGoToProvidersToo() {
    answers.set(
        0,
        request ->
            request.response().setStatusCode(429).putHeader("Retry-After", "60").end());
    String get = "{\"method\": \"GET\", \"path\": \"/ask\"}";
    String post = "{\"method\": \"POST\", \"path\": \"/ask?x=1\", \"body\": {\"a\": 1}}";
    HttpResponse<String> both = batch(get + "," + post);
    assertThat(both.statusCode()).as(both.body()).isEqualTo(200);
    assertThat(outcomes(both)).containsExactly("executed", "executed");
    assertThat(sent.get(0)).isNotEmpty().allMatch(one -> one.getHeader("X-Api-Key") == null);
    assertThat(sent.get(1)).hasSize(2).anyMatch(one -> one.uri().equals("/ask?x=1"));
    answers.set(1, request -> request.response().setStatusCode(500).end());
    int before = sent.get(1).size();
    assertThat(outcomes(batch(post))).containsExactly("failed");
    assertThat(sent.get(1)).hasSize(before + 1); // nobody knows what it has done
  }

  @Test
  void anItemThatNoProviderTakesIsWorthAnotherBatch() {
    HttpResponse<String> keyless = batch("{\"method\": \"GET\", \"path\": \"/keyless\"}");
    assertThat(keyless.statusCode()).isEqualTo(503);
    assertThat(keyless.headers().firstValue("Retry-After")).isPresent();
    assertThat(batch("{\"method\": \"GET\", \"path\": \"/lost\"}").statusCode()).isEqualTo(200);
  }
}
