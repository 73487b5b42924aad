package io.weir.operators.traces;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.node.config.Reports;
import io.weir.node.testing.NodeFixture;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a collector gets of the requests of a node. */
@Tag("jdk")
final class TracesIT {
  private static final String POLICY =
      """
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      operations:
        - { name: Ask, match: { path: /ask } }
      buckets:
        - { name: requests, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 1, operations: [Ask] }] }
      plans: { free: { buckets: [requests] } }
      defaults: { plan: free }
      subjects: [{ id: k1, tenant: acme, secretHash: "%s" }]
      """.formatted(SecretHash.of("secret-of-all").formatted());

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

  /** What the collector got, one byte a character. */
  private final List<String> got = new CopyOnWriteArrayList<>();

  private HttpServer collector;
  private RedisProcess redis;
  private @Nullable NodeFixture started;

  @BeforeEach
  void start() throws IOException {
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/v1/traces", exchange -> {
      got.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    redis = RedisProcess.start();
  }

  @AfterEach
  void end() {
    Optional.ofNullable(started).ifPresent(NodeFixture::close);
    redis.close();
    collector.stop(0);
  }

  private NodeFixture startNode(double share) {
    URI endpoint = URI.create(
        "http://127.0.0.1:%d/v1/traces".formatted(collector.getAddress().getPort()));
    Reports reports = new Reports(
        Optional.empty(), Optional.empty(), Optional.of(new Reports.Traces(endpoint, share)));
    NodeFixture node = NodeFixture.reporting(redis.uri(), POLICY, reports);
    started = node;
    return node;
  }

  private String all() {
    return String.join("", got);
  }

  private static String bytes(String hex) {
    return new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
  }

  @Test
  void fromTheRequestToTheScriptAndToTheUpstream() {
    NodeFixture node = startNode(0);
    HttpResponse<String> answer = node.get(
        "/ask?token=hidden",
        "X-Api-Key",
        "k1.secret-of-all",
        "traceparent",
        PARENT,
        "tracestate",
        "vendor=hidden");
    assertThat(new JsonObject(answer.body()).getJsonObject("headers").getString("tracestate"))
        .isEqualTo("vendor=hidden");

    assertThat(answer.statusCode()).isEqualTo(200);
    String forwarded =
        new JsonObject(answer.body()).getJsonObject("headers").getString("traceparent");
    assertThat(forwarded).matches("00-" + TRACE + "-(?!00f067aa0ba902b7)[0-9a-f]{16}-01");
    await()
        .untilAsserted(() -> assertThat(all())
            .contains(
                "GET", "throttle decide", "redis fcall", "weir.outcome", "allowed", "acme", "k1"));
    assertThat(all()).contains(bytes(TRACE), bytes(forwarded.substring(36, 52)));
    assertThat(all()).doesNotContain("hidden", "secret-of-all");
  }

  @Test
  void aCheckNamesWhatWasFull() {
    NodeFixture node = startNode(1);
    for (int i = 0; i < 2; i++) {
      node.post("/v1/check", "{\"key\":\"k1.secret-of-all\",\"operation\":\"Ask\",\"cost\":1000}");
    }
    await()
        .untilAsserted(() ->
            assertThat(all()).contains("weir.full", "requests", "weir.retry_after_ms", "denied"));
  }

  @Test
  void whatIsNotRecordedPassesAsItCame() {
    NodeFixture node = startNode(0);
    String unflagged = PARENT.substring(0, PARENT.length() - 1) + "0";
    HttpResponse<String> answer =
        node.get("/ask", "X-Api-Key", "k1.secret-of-all", "traceparent", unflagged);
    assertThat(new JsonObject(answer.body()).getJsonObject("headers").getString("traceparent"))
        .isEqualTo(unflagged);
    node.get("/ask", "X-Api-Key", "k1.secret-of-all", "traceparent", PARENT);
    await().untilAsserted(() -> assertThat(got).isNotEmpty());
    assertThat(all().split("throttle decide", -1)).hasSize(2); // the second request alone
  }

  @Test
  void aCollectorThatIsAwayHoldsUpNothing() {
    collector.stop(0);
    NodeFixture node = startNode(1);
    for (int i = 0; i < 300; i++) {
      assertThat(node.get("/ask", "X-Api-Key", "k1.secret-of-all").statusCode()).isEqualTo(200);
    }
  }
}
