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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The charge of an item that is settled, and whose answer does not contain its cost. It costs 10 at first. */
final class ItemRefundsIT {
  private static final String COUNTERS = "weir:{72nw}:acme:tenant:counters";
  private static final String POLICY = """
      operations:
        - { name: back, match: { path: /back }, cost: 10, settle: { usage: openai, onFailure: refund } }
      buckets:
        - { name: all, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 100, operations: [back] }] }
      quotas:
        - { name: used, scope: tenant, limit: 1000, period: day, operations: [back] }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + TestPolicies.subject("k1", "");

  @ParameterizedTest
  @CsvSource({"200, 10", "401, 0", "429, 0", "500, 0"})
  void anItemIsChargedLikeARequestOfItsOwn(int status, long expected) throws IOException {
    try (NodeFixture fixture = new NodeFixture(POLICY, FailureMode.DENY);
        RedisConnections connections =
            RedisConnections.open(fixture.redisUri(), Duration.ofSeconds(5))) {
      fixture.upstreamAnswers(
          "/back", request -> request.response().setStatusCode(status).end("{}"));
      fixture.post(
          "/v1/batch",
          "{\"items\": [{\"method\": \"POST\", \"path\": \"/back\", \"body\": {}}]}",
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
