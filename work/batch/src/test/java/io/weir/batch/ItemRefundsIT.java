package io.weir.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ScriptOutputType;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The charge of an item that is settled, and whose answer does not contain its cost. It costs 10 at first. */
@Tag("work")
final class ItemRefundsIT {
  private static final String COUNTERS = "weir:{72nw}:acme:tenant:counters";
  private static final String POLICY = """
      operations:
        - { name: kept, match: { path: /kept }, cost: 10, settle: { usage: openai } }
        - { name: back, match: { path: /back }, cost: 10, settle: { usage: openai, onFailure: refund } }
        - { name: only, match: { path: /only }, cost: 10, settle: { usage: openai, statuses: [201] } }
      buckets:
        - { name: all, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 100, operations: [kept, back, only] }] }
      quotas:
        - { name: used, scope: tenant, limit: 1000, period: day, operations: [kept, back, only] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "");

  @ParameterizedTest
  @CsvSource({
    "/kept, 200, 10",
    "/kept, 401, 0",
    "/kept, 429, 0",
    "/kept, 500, 10",
    "/back, 200, 10",
    "/back, 401, 0",
    "/back, 429, 0",
    "/back, 500, 0",
    "/only, 200, 0",
    "/only, 201, 10",
    "/only, 500, 0"
  })
  void anItemIsChargedLikeARequestOfItsOwn(String path, int status, long expected)
      throws IOException {
    try (NodeFixture fixture = new NodeFixture(POLICY, FailureMode.DENY);
        RedisConnections connections =
            RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      fixture.upstreamAnswers(
          path, request -> request.response().setStatusCode(status).end("{}"));
      fixture.post(
          "/v1/batch",
          "{\"items\": [{\"method\": \"POST\", \"path\": \"%s\", \"body\": {}}]}".formatted(path),
          "X-Api-Key",
          TestPolicies.key("k1"));
      await().until(() -> connections.sync().zcard("weir:holds") == 0);
      String show = Files.readString(Path.of("../../lua/show.lua"));
      List<String> shown = connections.sync().eval(show, ScriptOutputType.MULTI, COUNTERS);
      assertThat(Long.parseLong(shown.get(shown.indexOf("used") + 1).split(",", -1)[2]))
          .isEqualTo(expected);
    }
  }
}
