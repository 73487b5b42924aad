package io.weir.windows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows, as planners and workers see them. */
@Tag("jdk")
final class WindowsIT {
  private static final String BLOCKS = "/v1/windows/blocks";
  private static final String FAIL_SOME = """
          verb = "/fail" if one["from"] in (501, 991) else "/finish"
          ask(verb, {"from": one["from"], "claim": one["claim"]})
      """;
  private static final String FINISH =
      "    ask(\"/finish\", {\"from\": one[\"from\"], \"claim\": one[\"claim\"], \"result\": str(total)})\n";

  @AutoClose
  private NodeFixture fixture;

  @BeforeEach
  void start() {
    fixture = NodeFixture.withOwnRedis("""
        operations:
          - { name: Ask, match: { path: /ask } }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 1000, operations: [Ask] }] }
        windows:
          blocks: { width: 2, attempts: 1, lease: 30s, results: true }
        subjects:
        """ + TestPolicies.subject("k1", ""), FailureMode.DENY);
  }

  private HttpResponse<String> post(String path, String body) {
    return fixture.post(path, body, "Authorization", "Bearer " + NodeFixture.SERVICE);
  }

  private HttpResponse<String> get(String path) {
    return fixture.send(HttpRequest.newBuilder(fixture.uri(path))
        .header("Authorization", "Bearer " + NodeFixture.SERVICE));
  }

  private HttpResponse<String> open(long from, long to) {
    return post(BLOCKS + "/open", "{\"from\": %d, \"to\": %d}".formatted(from, to));
  }

  private JsonObject claim() {
    HttpResponse<String> claimed = post(BLOCKS + "/claim", "");
    assertThat(claimed.statusCode()).isEqualTo(200);
    return NodeFixture.json(claimed);
  }

  private HttpResponse<String> end(JsonObject claimed, String verb, String more) {
    return post(
        BLOCKS + "/" + verb,
        "{\"from\": %d, \"claim\": \"%s\"%s}"
            .formatted(claimed.getLong("from"), claimed.getString("claim"), more));
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(NodeFixture.json(answer).getString("code")).isEqualTo(code);
  }

  @Test
  void aPlannerOpensWorkersFinishAndThePlannerCommitsInOrder() {
    assertThat(open(1000, 1099).statusCode()).isEqualTo(201);
    assertThat(open(1000, 1099).statusCode()).isEqualTo(200);
    refused(open(1200, 1299), 409, "range_not_next");
    assertThat(open(1100, 1199).statusCode()).isEqualTo(201);
    HttpResponse<String> full = open(1200, 1299);
    refused(full, 429, "window_full");
    assertThat(full.headers().firstValue("Retry-After")).isPresent();
    assertThat(full.headers().firstValueAsLong("Retry-After-Ms").orElse(0)).isPositive();

    JsonObject first = claim();
    JsonObject second = claim();
    assertThat(first.getLong("from")).isEqualTo(1000);
    assertThat(first.getLong("to")).isEqualTo(1099);
    HttpResponse<String> none = post(BLOCKS + "/claim", "{}");
    assertThat(none.statusCode()).isEqualTo(204);
    assertThat(none.headers().firstValueAsLong("Retry-After-Ms").orElse(0)).isPositive();

    assertThat(end(second, "finish", ", \"result\": \"two\"").statusCode()).isEqualTo(200);
    assertThat(end(first, "renew", "").statusCode()).isEqualTo(200);
    assertThat(end(first, "finish", ", \"result\": \"one\"").statusCode()).isEqualTo(200);
    JsonObject results = NodeFixture.json(get(BLOCKS + "/results"));
    assertThat(results.getJsonArray("ranges").stream()
            .map(range -> ((JsonObject) range).getString("result")))
        .containsExactly("one", "two");
    refused(post(BLOCKS + "/commit", "{\"through\": 1150}"), 409, "range_state");
    assertThat(post(BLOCKS + "/commit", "{\"through\": 1199}").statusCode()).isEqualTo(200);
    JsonObject window = NodeFixture.json(get(BLOCKS)).getJsonObject("window");
    assertThat(window.getLong("watermark")).isEqualTo(1200);
    assertThat(fixture.get("/metrics").body())
        .contains("throttle_window_watermark{window=\"blocks\"} 1200.0")
        .contains(
            "throttle_window_asked_total{asked=\"open\",outcome=\"full\",window=\"blocks\"} 1");
  }

  @Test
  void aRangeThatFailsForGoodIsReportedAndWaitsForTheDecision() {
    open(0, 9);
    open(10, 19);
    end(claim(), "fail", ", \"error\": \"no such block\"");
    refused(open(20, 29), 409, "range_failed");
    JsonObject failed = NodeFixture.json(get(BLOCKS)).getJsonArray("failed").getJsonObject(0);
    assertThat(failed.getLong("from")).isZero();
    assertThat(failed.getString("error")).isEqualTo("no such block");
    refused(post(BLOCKS + "/skip", "{\"from\": 10}"), 409, "range_state");
    refused(post(BLOCKS + "/skip", "{\"from\": 11}"), 404, "range_unknown");
    assertThat(post(BLOCKS + "/retry", "{\"from\": 0}").statusCode()).isEqualTo(200);
    end(claim(), "fail", "");
    assertThat(post(BLOCKS + "/skip", "{\"from\": 0}").statusCode()).isEqualTo(200);
    assertThat(post(BLOCKS + "/commit", "{\"through\": 9}").statusCode()).isEqualTo(200);
    assertThat(open(20, 29).statusCode()).isEqualTo(201);
    assertThat(post(BLOCKS + "/forget", "").statusCode()).isEqualTo(200);
    assertThat(open(5, 5).statusCode()).isEqualTo(201);
  }

  @Test
  void aClaimThatIsOverIsRefused() {
    open(0, 9);
    JsonObject claimed = claim();
    end(claimed, "release", "");
    refused(end(claimed, "finish", ""), 409, "claim_lost");
  }

  @Test
  void badRequestsGetAllProblemsAtOnce() {
    HttpResponse<String> bad = post(BLOCKS + "/open", "{\"from\": -1, \"too\": 2}");
    refused(bad, 400, "window_invalid");
    assertThat(NodeFixture.json(bad).getJsonArray("errors")).hasSize(3);
    refused(post(BLOCKS + "/open", "[1]"), 400, "window_invalid");
    refused(post(BLOCKS + "/open", "{\"from\": 9, \"to\": 8}"), 400, "window_invalid");
    refused(post(BLOCKS + "/finish", "{\"from\": 0}"), 400, "window_invalid");
    String long1 = "\"" + "é".repeat(2049) + "\"";
    refused(
        post(BLOCKS + "/finish", "{\"from\": 0, \"claim\": \"c\", \"result\": " + long1 + "}"),
        400,
        "window_invalid");
    refused(post(BLOCKS + "/open", "{\"from\": \"" + "x".repeat(33_000)), 413, "body_too_long");
    refused(post("/v1/windows/none/open", "{}"), 404, "window_unknown");
    refused(post(BLOCKS + "/none", "{}"), 404, "window_unknown");
    refused(get(BLOCKS + "/open"), 405, "method_not_allowed");
    refused(post(BLOCKS, "{}"), 405, "method_not_allowed");
    refused(fixture.post(BLOCKS + "/open", "{}"), 401, "service_token_invalid");
    refused(fixture.get(BLOCKS), 401, "service_token_invalid");
  }

  @Test
  void aClaimWhoseAnswerIsLostIsHandedOutAgainAtOnce() {
    open(0, 9);
    try (RedisConnections redis =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      redis.sync().clientPause(8000); // the node waits 5 s
      refused(post(BLOCKS + "/claim", ""), 503, "store_unavailable");
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> post(BLOCKS + "/claim", "").statusCode() == 200);
    JsonObject window = NodeFixture.json(get(BLOCKS)).getJsonObject("window");
    assertThat(window.getLong("failed")).isZero(); // there is one attempt
  }

  @Test
  void theExampleInPythonWorks(@TempDir Path folder) throws Exception {
    String document = Files.readString(Path.of("../../docs/how-to/windows.md"));
    String begin = "```python\n";
    int at = document.indexOf(begin) + begin.length();
    Path program = Files.writeString(
        folder.resolve("plan.py"),
        document.substring(at, document.indexOf("```", at)).replace(FINISH, FAIL_SOME));
    assertThat(Files.readString(program)).contains("/fail");
    ProcessBuilder builder =
        new ProcessBuilder("python3", program.toString()).redirectErrorStream(true);
    builder.environment().put("WEIR", fixture.uri("").toString());
    builder.environment().put("SERVICE_TOKEN", NodeFixture.SERVICE);
    Process python;
    try {
      python = builder.start();
    } catch (IOException e) {
      assumeTrue(false, "skipped: python3 is not here");
      return;
    }
    String printed = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(python.waitFor()).as(printed).isZero();
    assertThat(printed.lines().filter(line -> line.contains(" done"))).hasSize(98);
    assertThat(printed.lines()).contains("501 skipped: ", "991 skipped: ");
  }
}
