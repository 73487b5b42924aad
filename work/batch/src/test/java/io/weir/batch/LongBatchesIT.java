package io.weir.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A long batch whose first item is known to be denied is refused before all of it is read. */
final class LongBatchesIT {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);
  private static final String SPACES = " ".repeat(20_000);
  private static final String WRITE = "{\"method\": \"POST\", \"path\": \"/few/x\"}";

  @AutoClose
  private static final NodeFixture node = new NodeFixture(policy(), FailureMode.DENY);

  private static String policy() {
    return """
        operations:
          - { name: Few, match: { path: "/few/**" } }
          - { name: Free, match: { path: /free }, unlimited: true }
        buckets:
          - name: few
            burstPeriod: 3600
            throttleGroups: [{ milliOpsPerSec: 2, operations: [Few] }]
        plans: { strict: { buckets: [few], slots: off } }
        defaults: { plan: strict }
        upstream: { url: "http://127.0.0.1:UPSTREAM" }
        subjects:
        """ + TestPolicies.subject("full", "") + TestPolicies.subject("kept", "");
  }

  @Test
  void itIsRefusedByItsBeginningAsItsFirstItemWouldBe() {
    HttpResponse<String> whole = exhaust("full");
    JsonObject item =
        NodeFixture.json(whole).getJsonArray("results").getJsonObject(0).getJsonObject("body");
    String[] early = {""};
    // A node forgets a full bucket after a second.
    await().atMost(LONG_ENOUGH).until(() -> {
      send("full", "{\"items\": [%s]}".formatted(WRITE));
      early[0] = node.raw(head("full", 1_000_000) + "{\"items\": [" + WRITE + "," + SPACES);
      return !early[0].isEmpty();
    });
    assertThat(early[0]).startsWith("HTTP/1.1 429 ").containsIgnoringCase("Weir-Executed: 0\r\n");
    for (String name : whole.headers().map().keySet()) {
      if (!name.equals("content-length") && !name.equals("transfer-encoding")) {
        assertThat(early[0]).containsIgnoringCase("\r\n" + name + ": ");
      }
    }
    JsonObject problem = new JsonObject(early[0].substring(early[0].indexOf("\r\n\r\n") + 4));
    assertThat(problem.fieldNames()).isEqualTo(item.fieldNames());
    assertThat(problem.getString("code")).isEqualTo(item.getString("code"));
    assertThat(problem.getString("operation")).isEqualTo("Few");
    assertThat(problem.getLong("retryAfterMs"))
        .isBetween(item.getLong("retryAfterMs") - 60_000, item.getLong("retryAfterMs"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
          {"batch": {"items": [WRITE]}SPACES}                                            | denied
          {"items": [{"method": "POST", "path": "/few/x", "charge": "no"}]SPACES}        | mistake
          {"items": [{"method": "POST", "path": "/few/x", "body": 1SPACES}]}             | denied
          {"items": [{"method": "POST", "path": "/few/x", "idempotencyKey": "k"}]SPACES} | denied
          {"items": [{"method": "POST", "path": "/few/{id}"}]SPACES}                     | failed
          {"items": [{"method": "POST", "path": "/free"}, WRITE]SPACES}                  | executed
          """)
  void itIsReadIfItsFirstItemIsNotKnownToBeDenied(String batch, String outcome) {
    exhaust("full");
    HttpResponse<String> answer =
        send("full", batch.replace("WRITE", WRITE).replace("SPACES", SPACES));
    if (outcome.equals("mistake")) {
      assertThat(answer.statusCode()).isEqualTo(400);
    } else {
      assertThat(NodeFixture.json(answer)
              .getJsonArray("results")
              .getJsonObject(0)
              .getString("outcome"))
          .isEqualTo(outcome);
    }
  }

  @Test
  void aBatchWithAKeyGetsItsResultsAndACallerWithATicketItsTurn() {
    String batch = "{\"items\": [%s]%s}".formatted(WRITE, SPACES);
    HttpResponse<String> first = send("kept", batch, "Idempotency-Key", "once");
    assertThat(first.statusCode()).isEqualTo(200);
    exhaust("kept");
    assertThat(send("kept", batch, "Idempotency-Key", "once").body()).isEqualTo(first.body());
    String ticket = "4000000000000000.1.0." + "a".repeat(20);
    assertThat(NodeFixture.json(send("kept", batch, "Retry-Ticket", ticket)).fieldNames())
        .contains("results");
  }

  @Test
  void resultsBesideItemsAreAMistake() {
    String batch = "{\"items\": [%s], \"answer\": {\"results\": []}}".formatted(WRITE);
    HttpResponse<String> answer = send("full", batch);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(answer).getJsonArray("errors"))
        .containsExactly("answer: beside items (expected: beside batch)");
  }

  private static HttpResponse<String> exhaust(String key) {
    HttpResponse<String> answer = send(key, "{\"items\": [%s]}".formatted(WRITE));
    while (answer.statusCode() == 200) {
      answer = send(key, "{\"items\": [%s]}".formatted(WRITE));
    }
    assertThat(answer.statusCode()).isEqualTo(429);
    return answer;
  }

  private static HttpResponse<String> send(String key, String batch, String... more) {
    String[] headers = new String[2 + more.length];
    headers[0] = "X-Api-Key";
    headers[1] = TestPolicies.key(key);
    System.arraycopy(more, 0, headers, 2, more.length);
    return node.post("/v1/batch", batch, headers);
  }

  private static String head(String key, int length) {
    return "POST /v1/batch HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(TestPolicies.key(key), length);
  }
}
