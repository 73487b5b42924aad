package io.weir.jobs.door;

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

/** The body of a job that is known to be denied is not read. */
final class RefusedUnreadIT {
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
  private static final String POLICY =
      """
      operations:
        - { name: Proof, match: { method: POST, path: /proof }, mode: job, job: { dispatchPerSecond: 100 } }
        - { name: Ping, match: { path: /ping } }
      buckets:
        - { name: few, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 2, operations: [Proof, Ping] }] }
      plans: { strict: { buckets: [few], slots: off } }
      defaults: { plan: strict }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("fresh", "") + TestPolicies.subject("busy", "");

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  @Test
  void theBodyOfAKeyWithoutJobsIsNotRead() {
    exhaust("fresh");
    HttpResponse<String> read = submit("fresh", "a");
    assertThat(read.statusCode()).isEqualTo(429);
    String[] answer = {""};
    // A node forgets a full bucket after a second.
    await().atMost(LONG_ENOUGH).until(() -> {
      submit("fresh", "b");
      answer[0] = node.raw(head("fresh"));
      return !answer[0].startsWith("HTTP/1.1 100 ");
    });
    assertThat(answer[0]).startsWith("HTTP/1.1 429 ");
    for (String name : read.headers().map().keySet()) {
      if (!name.equals("content-length")) {
        assertThat(answer[0]).containsIgnoringCase("\r\n" + name + ": ");
      }
    }
    JsonObject problem = new JsonObject(answer[0].substring(answer[0].indexOf("\r\n\r\n") + 4));
    assertThat(problem.fieldNames()).isEqualTo(NodeFixture.json(read).fieldNames());
    assertThat(problem.getString("operation")).isEqualTo("Proof");
    assertThat(denials("Proof")).isGreaterThanOrEqualTo(2);
  }

  @Test
  void theSameRequestIsTheSameJobThoughItsLimitsAreFull() {
    HttpResponse<String> accepted = submit("busy", "same");
    assertThat(accepted.statusCode()).isEqualTo(202);
    exhaust("busy");
    for (int i = 0; i < 3; i++) {
      assertThat(submit("busy", "other").statusCode()).isEqualTo(429);
      double before = denials("Proof");
      assertThat(submit("busy", "same").statusCode()).isIn(200, 202);
      assertThat(denials("Proof")).isEqualTo(before);
    }
  }

  private static void exhaust(String key) {
    HttpResponse<String> answer = node.get("/ping", "X-Api-Key", TestPolicies.key(key));
    while (answer.statusCode() == 200) {
      answer = node.get("/ping", "X-Api-Key", TestPolicies.key(key));
    }
    assertThat(answer.statusCode()).isEqualTo(429);
  }

  private static HttpResponse<String> submit(String key, String body) {
    return node.post("/proof", body, "X-Api-Key", TestPolicies.key(key));
  }

  private static String head(String key) {
    return "POST /proof HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"
        .formatted(TestPolicies.key(key));
  }

  private static double denials(String operation) {
    return node.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("throttle_decisions_total")
            && line.contains("\"" + operation + "\"")
            && line.contains("denied"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
