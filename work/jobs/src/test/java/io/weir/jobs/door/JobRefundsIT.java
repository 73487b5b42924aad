package io.weir.jobs.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ScriptOutputType;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The charge of a job that is settled. It costs 10 at first, and is charged until the job ends. */
@Tag("work")
final class JobRefundsIT {
  private static final String COUNTERS = "weir:{72nw}:acme:tenant:counters";
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final String POLICY = """
      operations:
        - { name: back, match: { method: POST, path: /back }, cost: 10, mode: job, job: { attempts: 1, dispatchPerSecond: 100 },
            settle: { usage: openai, onFailure: refund } }
        - { name: some, match: { method: POST, path: /some }, cost: 10, mode: job, job: { attempts: 1, dispatchPerSecond: 100 },
            settle: { statuses: [200, 201] } }
        - { name: kept, match: { method: POST, path: /kept }, cost: 10, mode: job, job: { attempts: 1, dispatchPerSecond: 100 },
            settle: { usage: openai } }
        - { name: few, match: { method: POST, path: /few }, cost: 10, mode: job, job: { attempts: 1, dispatchPerSecond: 100 },
            settle: { usage: openai, onFailure: refund } }
        - { name: late, match: { method: POST, path: /late }, cost: 10, mode: job, job: { readinessPath: /never },
            settle: { usage: openai } }
      buckets:
        - { name: all, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 100, operations: [back, some, kept, few, late] }] }
      quotas:
        - { name: used, scope: tenant, limit: 1000, period: day, operations: [back, some, kept, few, late] }
      permits: [{ name: submissions, limit: 1, operations: [few] }]
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "");

  @ParameterizedTest
  @CsvSource({
    "/back, 200, 7, 7", // the cost is in the answer
    "/back, 200, , 10",
    "/back, 404, , 0",
    "/back, 500, , 0",
    "/back, 503, , 0",
    "/some, 201, , 10",
    "/some, 202, , 0",
    "/some, 404, , 0",
    "/few, 200, 7, 7", // with a permit besides
    "/few, 500, , 0",
    "/kept, 500, , 10",
    "/kept, 401, , 0", // not executed
    "/kept, 429, , 0"
  })
  void aJobIsChargedLikeARequestThatIsForwarded(
      String path, int status, Integer used, long expected) throws IOException {
    String usage = used == null ? "{}" : "{\"usage\":{\"total_tokens\":%d}}".formatted(used);
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      node.upstreamAnswers(
          path, request -> request.response().setStatusCode(status).end(usage));
      accept(node, path);
      assertThat(charged(node)).isEqualTo(expected);
    }
  }

  // The answer to the check is the result of the job, which was never sent.
  @ParameterizedTest
  @CsvSource({"400, , 0", "410, , 0", "422, 7, 7", "201, , 10", "201, 7, 7"})
  void aJobThatFailsAtItsCheckWasNotExecuted(int status, Integer used, long expected)
      throws IOException {
    String usage = used == null ? "{}" : "{\"usage\":{\"total_tokens\":%d}}".formatted(used);
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      node.upstreamAnswers(
          "/never", request -> request.response().setStatusCode(status).end(usage));
      accept(node, "/late");
      assertThat(charged(node)).isEqualTo(expected);
    }
  }

  @Test
  void aPermitLastsUntilTheJobIsStored() throws IOException {
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      node.upstreamAnswers("/few", request -> {}); // the jobs go on
      for (int i = 0; i < 3; i++) {
        String body = "{\"number\":%d}".formatted(i);
        await()
            .atMost(SOON)
            .until(() ->
                node.post("/few", body, "X-Api-Key", TestPolicies.key("k1")).statusCode() == 202);
      }
      try (RedisConnections redis = RedisConnections.open(node.redisUri(), SOON)) {
        assertThat(redis.sync().zcard("weir:holds")).isEqualTo(3);
      }
    }
  }

  @Test
  void aJobWhoseConnectionBreaksHasFailed() throws IOException {
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      node.upstreamAnswers("/back", request -> request.connection().close());
      accept(node, "/back");
      assertThat(charged(node)).isZero();
    }
  }

  @Test
  void aJobThatIsCancelledBeforeItIsSentIsNotCharged() throws IOException {
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      node.upstreamAnswers("/never", JobRefundsIT::refuse);
      String place = accept(node, "/late");
      try (RedisConnections redis = RedisConnections.open(node.redisUri(), SOON)) {
        assertThat(redis.sync().zcard("weir:holds")).isOne();
      }
      HttpRequest.Builder cancel = HttpRequest.newBuilder(node.uri(place)).DELETE();
      assertThat(node.send(cancel.header("X-Api-Key", TestPolicies.key("k1"))).statusCode())
          .isEqualTo(200);
      assertThat(charged(node)).isZero();
    }
  }

  @Test
  void aJobThatIsCancelledWhileItRunsIsChargedAndPostedAgainChargedAgain() throws IOException {
    try (NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY)) {
      AtomicInteger begun = new AtomicInteger();
      node.upstreamAnswers("/back", request -> {
        if (begun.incrementAndGet() > 1) {
          request.response().end("{}");
        }
      });
      String place = accept(node, "/back");
      await().atMost(SOON).until(() -> begun.get() == 1);
      HttpRequest.Builder cancel = HttpRequest.newBuilder(node.uri(place)).DELETE();
      assertThat(node.send(cancel.header("X-Api-Key", TestPolicies.key("k1"))).statusCode())
          .isEqualTo(200);
      assertThat(charged(node)).isEqualTo(10);
      accept(node, "/back");
      assertThat(charged(node)).isEqualTo(20);
    }
  }

  private static void refuse(HttpServerRequest request) {
    request.response().setStatusCode(503).end();
  }

  private static String accept(NodeFixture node, String path) {
    HttpResponse<String> accepted = node.post(path, "{}", "X-Api-Key", TestPolicies.key("k1"));
    assertThat(accepted.statusCode()).isEqualTo(202);
    assertThat(new JsonObject(accepted.body()).getString("job_id")).isNotEmpty();
    return accepted.headers().firstValue("Location").orElseThrow();
  }

  // Once nothing is reserved any more.
  private static long charged(NodeFixture node) throws IOException {
    try (RedisConnections redis = RedisConnections.open(node.redisUri(), SOON)) {
      await().atMost(SOON).until(() -> redis.sync().zcard("weir:holds") == 0);
      String show = Files.readString(Path.of("../../lua/show.lua"));
      List<String> shown = redis.sync().eval(show, ScriptOutputType.MULTI, COUNTERS);
      return Long.parseLong(shown.get(shown.indexOf("used") + 1).split(",", -1)[2]);
    }
  }
}
