package io.weir.node.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ScriptOutputType;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The charge of a settled request whose answer does not contain its cost. Each costs 10 at first. */
final class RefundsIT {
  private static final String COUNTERS = "weir:{72nw}:acme:tenant:counters";
  private static final String POLICY = """
      operations:
        - { name: kept, match: { path: /kept }, cost: 10, settle: { usage: openai } }
        - { name: back, match: { path: /back }, cost: 10, settle: { usage: openai, onFailure: refund } }
        - { name: only, match: { path: /only }, cost: 10, settle: { usage: openai, statuses: [200] } }
      buckets:
        - { name: all, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 100, operations: [kept, back, only] }] }
      quotas:
        - { name: used, scope: tenant, limit: 1000, period: day, operations: [kept, back, only] }
      upstream: { url: "http://127.0.0.1:UPSTREAM", timeoutMs: 500 }
      subjects:
      """ + TestPolicies.subject("k1", "");

  @AutoClose
  private NodeFixture fixture;

  @BeforeEach
  void start() {
    fixture = new NodeFixture(POLICY, FailureMode.DENY);
    List.of("/kept", "/back", "/only")
        .forEach(path -> fixture.upstreamAnswers(path, RefundsIT::answer));
  }

  // Status 0 is no answer.
  private static void answer(HttpServerRequest request) {
    int status = Integer.parseInt(request.getParam("status"));
    request.response().putHeader("Content-Type", "application/json");
    if (status > 0) {
      request.response().setStatusCode(status).end("{\"error\": {}}");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, 10, 10, 10",
    "201, 10, 10, 0",
    "400, 10, 0, 0",
    "401, 0, 0, 0",
    "402, 0, 0, 0",
    "403, 0, 0, 0",
    "429, 0, 0, 0",
    "500, 10, 0, 0",
    "503, 10, 0, 0",
    "0, 10, 0, 0"
  })
  void aChargeStaysOrIsGivenBack(int status, long kept, long back, long only) throws IOException {
    assertThat(usedBy("/kept", status)).isEqualTo(kept);
    assertThat(usedBy("/back", status)).isEqualTo(back);
    assertThat(usedBy("/only", status)).isEqualTo(only);
  }

  private long usedBy(String path, int status) throws IOException {
    try (RedisConnections connections =
        RedisConnections.open(fixture.redisUri(), Duration.ofMinutes(1))) {
      String show = Files.readString(Path.of("../../lua/show.lua"));
      long before = used(connections, show);
      int told = fixture
          .get(path + "?status=" + status, "X-Api-Key", TestPolicies.key("k1"))
          .statusCode();
      assertThat(told).isEqualTo(status > 0 ? status : 504);
      await().until(() -> connections.sync().zcard("weir:holds") == 0);
      return used(connections, show) - before;
    }
  }

  private static long used(RedisConnections connections, String show) {
    List<String> shown = connections.sync().eval(show, ScriptOutputType.MULTI, COUNTERS);
    int at = shown.indexOf("used");
    return at < 0 ? 0 : Long.parseLong(shown.get(at + 1).split(",", -1)[2]);
  }
}
