package io.weir.jobs.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.jobs.rule.JobParameter;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.audit.AuditLine;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs, as callers, the upstream and operators of a node see them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("jdk")
final class JobsIT {
  private static final String POLICY =
      """
      operations:
        - { name: Proof, match: { method: POST, path: /proof }, mode: job,
            job: { dispatchPerSecond: 1000, processingTime: 2s, dispatchTime: 100ms, maxBodyBytes: 1000, callbacks: true,
                   attempts: 3, headers: [X-Color] } }
        - { name: Once, match: { method: POST, path: /once }, mode: job, stage: door }
        - { name: Slow, match: { method: POST, path: /slow }, mode: job,
            job: { dispatchPerSecond: 10, processingTime: 2s, dispatchTime: 100ms, readinessPath: /wait-for-it,
                   readinessConcurrency: 2, readinessTime: 2s, readinessInterval: 50ms, capacity: 5 } }
        - { name: Decrypt, match: { method: POST, path: /decrypt }, mode: job,
            job: { dispatchPerSecond: 10, processingTime: 4s, dispatchTime: 100ms, readinessPath: /decrypt-ready,
                   readinessConcurrency: 50, readinessTime: 2s, readinessInterval: 50ms } }
        - { name: Kept, match: { method: POST, path: /kept }, mode: job,
            job: { dispatchPerSecond: 10, readinessPath: /never, readinessConcurrency: 1, readinessInterval: 50ms } }
        - { name: Other, match: { path: /other } }
      buckets:
        - name: many
          burstPeriod: 10
          throttleGroups: [{ opsPerSec: 100, operations: [Proof, Slow, Decrypt, Kept, Other] }]
        - { name: few, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1, operations: [Once] }] }
      upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 2000, connectTimeoutMs: 500 }
      subjects:
      """ + TestPolicies.subject("k1", "") + TestPolicies.subject("k2", "");

  private final ConcurrentLinkedQueue<HttpServerRequest> sent = new ConcurrentLinkedQueue<>();
  private final AtomicInteger flaky = new AtomicInteger();
  private final AtomicInteger broken = new AtomicInteger();
  private final Map<String, String> callbackTokens = new ConcurrentHashMap<>();
  private volatile boolean isReady;

  @AutoClose
  private NodeFixture fixture;

  @BeforeAll
  void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    fixture.upstreamAnswers("/proof", this::prove);
    fixture.upstreamAnswers(
        "/wait-for-it",
        request -> request
            .body()
            .onSuccess(
                body -> request.response().setStatusCode(isReady ? 200 : 503).end()));
    fixture.upstreamAnswers(
        "/never",
        request -> request
            .body()
            .onSuccess(body -> request.response().setStatusCode(503).end()));
    AtomicInteger asked = new AtomicInteger();
    fixture.upstreamAnswers(
        "/receipts/7",
        request -> request
            .response()
            .setStatusCode(asked.incrementAndGet() < 2 ? 202 : 200)
            .putHeader("Retry-After", "1")
            .end("the receipt's result"));
  }

  private void prove(HttpServerRequest request) {
    request.body().onSuccess(body -> {
      sent.add(request);
      String wish = body.toString();
      if (wish.startsWith("flaky") && flaky.incrementAndGet() < 3) {
        request.response().setStatusCode(503).end();
      } else if (wish.startsWith("receipt")) {
        request
            .response()
            .setStatusCode(202)
            .putHeader("Location", "/receipts/7")
            .putHeader("Retry-After", "1")
            .end();
      } else if (wish.startsWith("elsewhere")) {
        request
            .response()
            .setStatusCode(202)
            .putHeader("Location", "http://evil/x")
            .end();
      } else if (wish.startsWith("callback")) {
        callbackTokens.put(request.getHeader("X-Weir-Job"), request.getHeader("X-Weir-Job-Token"));
        request
            .response()
            .setStatusCode(202)
            .putHeader("Location", "/receipts/never")
            .end();
      } else if (wish.startsWith("status ")) {
        request.response().setStatusCode(Integer.parseInt(wish.substring(7))).end();
      } else if (wish.startsWith("broken") && broken.getAndIncrement() == 0) {
        request.response().setStatusCode(500).end("it broke");
      } else if (wish.startsWith("slowly")) {
        drip(request.response().setChunked(true), 6);
      } else if (wish.startsWith("wordy")) {
        request.response().putHeader("ETag", "x".repeat(4000)).end();
      } else if (wish.startsWith("long")) {
        request.response().end("x".repeat(1 << 20));
      } else if (wish.startsWith("bad")) {
        request.response().setStatusCode(422).end("no");
      } else {
        request.response().putHeader("Content-Type", "text/plain").end("proof of " + wish);
      }
    });
  }

  private static void drip(HttpServerResponse response, int pieces) {
    if (pieces == 0) {
      response.end();
    } else {
      response.write("x");
      Vertx.currentContext().owner().setTimer(500, fired -> drip(response, pieces - 1));
    }
  }

  @Test
  void theExampleInPythonWorks(@TempDir Path folder) throws Exception {
    String document = Files.readString(Path.of("../../docs/how-to/jobs.md"));
    String begin = "```python\n";
    int at = document.indexOf(begin) + begin.length();
    Path program = Files.writeString(
        folder.resolve("job.py"), document.substring(at, document.indexOf("```", at)));
    Process python;
    try {
      python = new ProcessBuilder(
              "python3",
              program.toString(),
              fixture.uri("/proof").toString(),
              TestPolicies.key("k1"),
              "python's")
          .redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      assumeTrue(false, "no python3: " + e.getMessage());
      return;
    }
    try {
      assertThat(python.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("200 proof of python's\n");
    } finally {
      python.destroyForcibly();
    }
  }

  // The rows of the document for an empty queue, stage by stage: the answers must match them.
  @Test
  void eachStageTellsTheEtaOfTheDocument() {
    AtomicBoolean mayBeSent = new AtomicBoolean();
    Promise<Void> mayEnd = Promise.promise();
    fixture.upstreamAnswers(
        "/decrypt-ready",
        request -> request
            .body()
            .onSuccess(body ->
                request.response().setStatusCode(mayBeSent.get() ? 200 : 425).end()));
    fixture.upstreamAnswers(
        "/decrypt",
        request -> request
            .body()
            .onSuccess(
                body -> mayEnd.future().onSuccess(end -> request.response().end("done"))));
    HttpResponse<String> queued = submit("/decrypt", "one");
    assertThat(NodeFixture.json(queued).getInteger("eta_seconds")).isEqualTo(5);
    String location = location(queued);
    await().until(() -> state(location).equals("checking"));
    assertThat(eta(location)).isEqualTo(8);
    mayBeSent.set(true);
    await().until(() -> state(location).equals("in_flight"));
    assertThat(eta(location)).isEqualTo(5);
    mayEnd.complete();
    assertThat(result(location).body()).isEqualTo("done");
  }

  @Test
  void operatorsSeeTheSettingsAndTheMetrics() {
    result(location(submit("/proof", "for operators")));
    HttpResponse<String> settings =
        fixture.send(HttpRequest.newBuilder(fixture.adminUri("/v1/policy/jobs"))
            .header("Authorization", "Bearer " + NodeFixture.ADMIN));
    JsonObject json = NodeFixture.json(settings);
    assertThat(json.getJsonObject("operations").getJsonObject("Slow").getInteger("capacity"))
        .isEqualTo(5);
    assertThat(json.getJsonArray("parameters")).hasSize(JobParameter.values().length);
    assertThat(fixture.get("/v1/policy/jobs").statusCode()).isEqualTo(401);
    String metrics = fixture.get("/metrics").body();
    assertThat(metrics)
        .contains("throttle_jobs_queue{operation=\"Decrypt\",queue=\"waiting\"} 0.0")
        .contains("throttle_jobs_eta_seconds_bucket{operation=\"Proof\",le=\"2400.0\"}")
        .contains("throttle_jobs_ended_total{operation=\"Proof\",state=\"completed\"}")
        .contains("throttle_jobs_eta_error_bucket{operation=\"Proof\"")
        .contains("throttle_jobs_polls_count{operation=\"Proof\"}")
        .contains("throttle_jobs_state_seconds_count{operation=\"Proof\",state=\"in_flight\"}");
  }

  private HttpResponse<String> operator(String method, String path) {
    return fixture.send(HttpRequest.newBuilder(fixture.adminUri(path))
        .header("Authorization", "Bearer " + NodeFixture.ADMIN)
        .method(method, HttpRequest.BodyPublishers.noBody()));
  }

  private List<JsonObject> listed(String query) {
    HttpResponse<String> answer = operator("GET", "/v1/job-queues/Kept" + query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return NodeFixture.json(answer).getJsonArray("jobs").stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  @Test
  void operatorsListTheJobsThatAreNotDoneAndCancelOne() {
    List<String> locations = IntStream.range(0, 4)
        .mapToObj(i -> location(submit("/kept", "kept " + i)))
        .toList();
    await().until(() -> state(locations.get(0)).equals("checking"));

    JsonObject queue =
        NodeFixture.json(operator("GET", "/v1/job-queues")).getJsonArray("queues").stream()
            .map(JsonObject.class::cast)
            .filter(each -> each.getString("operation").equals("Kept"))
            .findFirst()
            .orElseThrow();
    assertThat(queue.getInteger("waiting")).isEqualTo(3);
    assertThat(queue.getInteger("checking")).isEqualTo(1);
    assertThat(queue.getLong("oldestMs")).isNotNegative();
    assertThat(queue.getInteger("etaSeconds")).isPositive();

    List<JsonObject> all = listed("");
    assertThat(all)
        .extracting(job -> job.getString("state"))
        .containsExactly("checking", "queued", "queued", "queued");
    assertThat(all)
        .extracting(job -> job.getString("id"))
        .containsExactlyElementsOf(locations.stream()
            .map(each -> each.substring(each.lastIndexOf('/') + 1))
            .toList());
    assertThat(all).extracting(job -> job.getInteger("position")).containsExactly(null, 0, 1, 2);
    assertThat(all.get(1).getString("tenant") + "/" + all.get(1).getString("key"))
        .isEqualTo("acme/k1");
    assertThat(listed("?from=1&limit=2"))
        .extracting(job -> job.getInteger("position"))
        .containsExactly(0, 1);
    assertThat(listed("?from=4")).isEmpty();

    assertThat(listed("?state=queued&from=2&limit=1"))
        .extracting(job -> job.getInteger("position"))
        .containsExactly(1);
    assertThat(listed("?state=completed")).isEmpty();

    String one = "/v1/job-queues/Kept/" + all.get(2).getString("id");
    assertThat(operator("DELETE", one).statusCode()).isEqualTo(200);
    assertThat(look(locations.get(2), "k1").statusCode()).isEqualTo(410);
    assertThat(listed("")).hasSize(3);
    assertThat(listed("?state=cancelled"))
        .extracting(job -> job.getString("id") + " " + job.getInteger("etaSeconds"))
        .contains(all.get(2).getString("id") + " 0");
    JsonObject ended = NodeFixture.json(operator("GET", one));
    assertThat(ended.getString("state")).isEqualTo("cancelled");
    assertThat(ended.getJsonArray("history").stream()
            .map(step -> ((JsonObject) step).getString("state")))
        .containsExactly("queued", "cancelled");
    assertThat(NodeFixture.json(operator("DELETE", one)).getString("code"))
        .isEqualTo("job_finished");
    try (RedisConnections redis =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      AuditLine line = new RedisAudit(redis).last(1).join().get(0);
      assertThat(line.record()).isEqualTo("job:Kept/" + all.get(2).getString("id"));
      assertThat(line.who() + " " + line.what()).isEqualTo("admin cancel");
    }
    locations.forEach(each -> cancel(each, "k1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /v1/job-queues/Kept?limit=0 400",
        "GET /v1/job-queues/Kept?limit=201 400",
        "GET /v1/job-queues/Kept?from=-1 400",
        "GET /v1/job-queues/Kept?state=late 400",
        "GET /v1/job-queues/Other 404",
        "GET /v1/job-queues/Other/00000000000000000000000000000000 404",
        "GET /v1/job-queues/Kept/00000000000000000000000000000000 404",
        "GET /v1/job-queues/Kept/x 404",
        "DELETE /v1/job-queues/Kept/00000000000000000000000000000000 404"
      })
  void whatOperatorsCannotAskForIsRefused(String request) {
    String[] words = request.split(" ", -1);
    assertThat(operator(words[0], words[1]).statusCode()).isEqualTo(Integer.parseInt(words[2]));
    String path = words[1].replaceAll("[?].*", "");
    assertThat(fixture
            .send(HttpRequest.newBuilder(fixture.adminUri(path))
                .method(words[0], HttpRequest.BodyPublishers.noBody()))
            .statusCode())
        .isEqualTo(401);
  }

  private HttpResponse<String> submit(String path, String body, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + TestPolicies.key("k1"))
        .POST(HttpRequest.BodyPublishers.ofString(body));
    return fixture.send(headers.length == 0 ? request : request.headers(headers));
  }

  private HttpResponse<String> look(String path, String key, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + TestPolicies.key(key));
    return fixture.send(headers.length == 0 ? request : request.headers(headers));
  }

  private HttpResponse<String> cancel(String path, String key) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + TestPolicies.key(key))
        .DELETE());
  }

  private static String location(HttpResponse<String> accepted) {
    assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
    return accepted.headers().firstValue("Location").orElseThrow();
  }

  private HttpResponse<String> result(String location) {
    await().atMost(Duration.ofMinutes(1)).until(() -> look(location, "k1").statusCode() != 202);
    return look(location, "k1");
  }

  @Test
  void aJobIsAcceptedAndItsResultIsTheUpstreams() {
    HttpResponse<String> accepted =
        submit("/proof?x=1", "one", "X-Color", "red", "X-Secret", "s", "Content-Type", "a/b");
    JsonObject told = NodeFixture.json(accepted);
    String location = location(accepted);
    assertThat(told.getString("status")).isEqualTo("queued");
    assertThat(told.getInteger("position")).isZero();
    // Empty queue: (2000 + 100) * 1.2 ms
    assertThat(told.getInteger("eta_seconds")).isEqualTo(3);
    assertThat(accepted.headers().firstValue("Retry-After")).contains("3");
    assertThat(location).isEqualTo("/v1/jobs/Proof/" + told.getString("job_id"));
    HttpResponse<String> result = result(location);
    assertThat(result.statusCode()).isEqualTo(200);
    assertThat(result.body()).isEqualTo("proof of one");
    assertThat(result.headers().firstValue("Content-Type")).contains("text/plain");
    assertThat(result.headers().firstValue("Weir-Job-State")).contains("completed");
    HttpServerRequest request =
        sent.stream().filter(one -> "x=1".equals(one.query())).findFirst().orElseThrow();
    assertThat(request.getHeader("X-Color")).isEqualTo("red");
    assertThat(request.getHeader("Content-Type")).isEqualTo("a/b");
    assertThat(request.getHeader("X-Secret")).isNull();
    assertThat(request.getHeader("Authorization")).isNull();
    assertThat(request.getHeader("X-Weir-Subject")).isEqualTo("k1");
    assertThat(request.getHeader("Idempotency-Key")).matches(told.getString("job_id") + "-\\d+");
  }

  @Test
  void theSameRequestIsTheSameJob() {
    String first = location(submit("/proof", "same"));
    result(first);
    HttpResponse<String> again = submit("/proof", "same");
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(again.body()).isEqualTo("proof of same");
    String other = location(submit("/proof", "same", "Idempotency-Key", "k"));
    assertThat(other).isNotEqualTo(first);
    assertThat(submit("/proof", "different", "Idempotency-Key", "k").statusCode())
        .isEqualTo(422);
    assertThat(sent.stream().filter(one -> first.endsWith(idOf(one))).count()).isEqualTo(1);
  }

  // Its limit admits one a second: charging the same job a second time would be denied.
  @Test
  void aRefusalNamesTheOperationAndItsStage() {
    JsonObject refusal = IntStream.range(0, 50)
        .mapToObj(i -> fixture.post("/once", "job " + i, "X-Api-Key", TestPolicies.key("k2")))
        .filter(answer -> answer.statusCode() == 429)
        .map(NodeFixture::json)
        .findFirst()
        .orElseThrow();
    assertThat(refusal.getString("operation")).isEqualTo("Once");
    assertThat(refusal.getString("stage")).isEqualTo("door");
    assertThat(refusal.getString("code")).isEqualTo("busy");
  }

  @Test
  void theSameJobAskedForManyTimesAtOnceIsChargedOnce() {
    HttpRequest request = HttpRequest.newBuilder(fixture.uri("/once"))
        .header("Authorization", "Bearer " + TestPolicies.key("k1"))
        .POST(HttpRequest.BodyPublishers.ofString("once"))
        .build();
    HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    List<CompletableFuture<HttpResponse<String>>> answers = Stream.generate(
            () -> client.sendAsync(request, HttpResponse.BodyHandlers.ofString()))
        .limit(40)
        .toList();
    assertThat(answers)
        .extracting(answer -> answer.join().statusCode())
        .isSubsetOf(200, 202)
        .contains(202);
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 99})
  void anAnswerThatIsNoneIsNoResult(int status) {
    HttpResponse<String> failed = result(location(submit("/proof", "status " + status)));
    assertThat(failed.statusCode()).isEqualTo(502);
    assertThat(failed.headers().firstValue("Weir-Job-State")).contains("failed");
    assertThat(NodeFixture.json(failed).getString("reason")).isEqualTo("upstream_invalid");
  }

  @Test
  void aFailureOfTheUpstreamIsTheResultAndTheSameRequestBeginsAnew() {
    HttpResponse<String> failed = result(location(submit("/proof", "broken")));
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).isEqualTo("it broke");
    assertThat(failed.headers().firstValue("Weir-Job-State")).contains("failed");
    assertThat(result(location(submit("/proof", "broken"))).body()).isEqualTo("proof of broken");
  }

  @Test
  void headersThatAreTooLongToBeKeptAreRefused() {
    HttpResponse<String> refused = submit("/proof", "h", "X-Color", "r".repeat(3066));
    assertThat(refused.statusCode()).isEqualTo(431);
    assertThat(NodeFixture.json(refused).getString("code")).isEqualTo("job_headers_too_long");
    assertThat(refused.body()).contains("3073 bytes", "x-color", "at most 3072");
    String red = location(submit("/proof", "h", "X-Color", "r".repeat(3000), "X-Color", "red"));
    assertThat(location(submit("/proof", "h", "X-Color", "r".repeat(3000), "X-Color", "blue")))
        .isNotEqualTo(red);
    HttpResponse<String> wordy = result(location(submit("/proof", "wordy")));
    assertThat(NodeFixture.json(wordy).getString("reason")).isEqualTo("result_headers_too_long");
  }

  @Test
  void anAnswerMayTakeLongAsLongAsItMoves() {
    assertThat(result(location(submit("/proof", "slowly"))).body()).isEqualTo("xxxxxx");
  }

  private static String idOf(HttpServerRequest request) {
    return request.getHeader("Idempotency-Key").replaceAll("-\\d+$", "");
  }

  @Test
  void aRefusalOfTheUpstreamIsAResultToo() {
    HttpResponse<String> result = result(location(submit("/proof", "bad")));
    assertThat(result.statusCode()).isEqualTo(422);
    assertThat(result.body()).isEqualTo("no");
  }

  @Test
  void anUpstreamThatIsBusyIsAskedAgain() {
    assertThat(result(location(submit("/proof", "flaky"))).body()).isEqualTo("proof of flaky");
    assertThat(flaky.get()).isEqualTo(3);
  }

  @Test
  void aReceiptIsFollowed() {
    String location = location(submit("/proof", "receipt"));
    await().until(() -> look(location, "k1").body().contains("receipt_received"));
    assertThat(NodeFixture.json(look(location, "k1")).getInteger("eta_seconds")).isEqualTo(4);
    assertThat(result(location).body()).isEqualTo("the receipt's result");
  }

  @Test
  void aReceiptElsewhereFails() {
    HttpResponse<String> failed = result(location(submit("/proof", "elsewhere")));
    assertThat(failed.statusCode()).isEqualTo(502);
    assertThat(NodeFixture.json(failed).getString("reason")).isEqualTo("receipt_elsewhere");
  }

  @Test
  void aResultThatIsTooLongFails() {
    HttpResponse<String> failed = result(location(submit("/proof", "long")));
    assertThat(NodeFixture.json(failed).getString("reason")).isEqualTo("result_too_long");
  }

  @Test
  void theUpstreamBringsAResultByItself() {
    String location = location(submit("/proof", "callback"));
    String job = location.substring("/v1/jobs/".length());
    await().until(() -> look(location, "k1").body().contains("receipt_received"));
    String token = callbackTokens.getOrDefault(job, "");
    assertThat(bring(location, "wrong", "x").statusCode()).isEqualTo(401);
    assertThat(bring(location, token + "x", "x").statusCode()).isEqualTo(401);
    assertThat(bring(location.replace("Proof", "Slow"), token, "x").statusCode())
        .isEqualTo(401);
    assertThat(bring(location, token, "brought").statusCode()).isEqualTo(204);
    assertThat(look(location, "k1").body()).isEqualTo("brought");
    HttpResponse<String> twice = bring(location, token, "again");
    assertThat(twice.statusCode()).isEqualTo(409);
    assertThat(look(location, "k1").body()).isEqualTo("brought");
  }

  private HttpResponse<String> bring(String location, String token, String body) {
    return fixture.post(location + "/result", body, "Authorization", "Bearer " + token);
  }

  @Test
  void aQueueThatIsCheckedFirst() throws IOException {
    isReady = false;
    String[] jobs = new String[7];
    for (int i = 0; i < 2; i++) {
      jobs[i] = location(submit("/slow", "job " + i));
    }
    await().until(() -> state(jobs[1]).equals("checking"));
    for (int i = 2; i < 7; i++) {
      jobs[i] = location(submit("/slow", "job " + i));
    }
    assertThat(position(jobs[6])).isEqualTo(4);
    assertThat(NodeFixture.json(look(jobs[6], "k1")).getString("status")).isEqualTo("queued");
    // 2 s of checking, 2.1 s of sending, with the margin
    assertThat(eta(jobs[0])).isEqualTo(5);
    // (4/2 + 2 + 0.1) * 1.2
    assertThat(eta(jobs[6])).isEqualTo(5);
    HttpResponse<String> full = submit("/slow", "job 7");
    assertThat(full.statusCode()).isEqualTo(429);
    assertThat(NodeFixture.json(full).getString("code")).isEqualTo("job_queue_full");
    assertThat(full.headers().firstValue("Retry-After")).contains("1");
    assertThat(full.headers().firstValue("Retry-After-Ms")).contains("1000");
    assertThat(NodeFixture.json(full).getInteger("retryAfterMs")).isEqualTo(1000);
    assertThat(location(submit("/slow", "job 6"))).isEqualTo(jobs[6]);
    assertThat(cancel(jobs[3], "k2").statusCode()).isEqualTo(404);
    assertThat(look(jobs[3], "k2").statusCode()).isEqualTo(404);
    assertThat(cancel(jobs[3], "k1").statusCode()).isEqualTo(200);
    assertThat(cancel(jobs[3], "k1").statusCode()).isEqualTo(409);
    assertThat(look(jobs[3], "k1").statusCode()).isEqualTo(410);
    assertThat(position(jobs[6])).isEqualTo(3);
    HttpResponse<String> unchanged = look(jobs[6], "k1", "Prefer", "wait=1");
    assertThat(unchanged.headers().firstValue("Preference-Applied")).contains("wait=1");
    try (Socket events = fixture.connect()) {
      NodeFixture.write(
          events,
          "GET %s HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\nX-Api-Key: %s\r\nConnection: close\r\n\r\n"
              .formatted(jobs[6], TestPolicies.key("k1")));
      StringBuilder told = new StringBuilder();
      await()
          .until(() -> told.append(NodeFixture.read(events, 100)).indexOf("\"position\":3") >= 0);
      isReady = true;
      HttpResponse<String> changed = look(jobs[6], "k1", "Prefer", "wait=20");
      assertThat(changed.body()).doesNotContain("\"position\":3");
      for (int i : new int[] {0, 1, 2, 4, 5, 6}) {
        assertThat(result(jobs[i]).statusCode()).isEqualTo(200);
      }
      assertThat(told.append(NodeFixture.read(events, 5000)))
          .contains("event: state", "event: end", "\"state\":\"completed\"");
    }
  }

  private String state(String job) {
    return NodeFixture.json(look(job, "k1")).getString("state", "");
  }

  private int position(String job) {
    return NodeFixture.json(look(job, "k1")).getInteger("position", -1);
  }

  private int eta(String job) {
    return NodeFixture.json(look(job, "k1")).getInteger("eta_seconds", -1);
  }

  @Test
  void badInputGetsItsStatus() {
    assertThat(submit("/proof", "x".repeat(1001)).statusCode()).isEqualTo(413);
    assertThat(submit("/proof", "x", "Idempotency-Key", "k".repeat(300)).statusCode())
        .isEqualTo(400);
    assertThat(fixture.post("/proof", "x").statusCode()).isEqualTo(401);
    String nobody = "/v1/jobs/Proof/" + "0".repeat(32);
    assertThat(look(nobody, "k1").statusCode()).isEqualTo(404);
    assertThat(look("/v1/jobs/Proof/x", "k1").statusCode()).isEqualTo(404);
    assertThat(look("/v1/jobs/Other/" + "0".repeat(32), "k1").statusCode()).isEqualTo(404);
    assertThat(fixture.get(nobody).statusCode()).isEqualTo(401);
    assertThat(cancel(nobody, "k1").statusCode()).isEqualTo(404);
    assertThat(fixture.put(nobody, "x").statusCode()).isEqualTo(405);
  }
}
