package io.weir.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Places at both doors, on buckets so slow or so large that no test depends on its speed. */
final class SlotsIT {
  private static final String POLICY = """
      operations:
        - { name: Slow, match: { method: GET, path: /slow } }
        - { name: Held, match: { method: GET, path: /held }, maxDelay: 30s }
        - { name: Queue, match: { method: GET, path: /queue }, maxDelay: 1m }
        - { name: Far, match: { method: GET, path: /far }, maxDelay: 1m }
      buckets:
        - name: slow
          burstPeriod: 3600
          throttleGroups: [{ milliOpsPerSec: 2, operations: [Slow, Far] }]
        - name: held
          burstPeriod: 1
          throttleGroups: [{ opsPerSec: 50, operations: [Held] }]
        - name: queue
          burstPeriod: 10
          throttleGroups: [{ opsPerSec: 10, operations: [Queue] }]
        - name: many
          burstPeriod: 1
          throttleGroups: [{ opsPerSec: 100000, operations: [Held] }]
      plans:
        default: { buckets: [slow, held, queue, many] }
      defaults: { plan: default }
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      subjects:
      """ + subjects();

  /** The width of the bins of the slow bucket: a slot is up to as much later than the exact wait. */
  private static final long BIN_MILLIS = 62_500;

  private static final String TICKET = "\\d{16}\\.\\d+\\.\\d+\\.[0-9a-f]{20}";

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  @Test
  void aRejectionBearsTheTicketThatWasAskedFor() {
    fill("k1");
    HttpResponse<String> rejected = slow("k1", "Prefer", "respond-async, Retry-Ticket; x=1");
    assertThat(rejected.statusCode()).isEqualTo(429);
    String ticket = header(rejected, "Retry-Ticket").orElseThrow();
    JsonObject problem = NodeFixture.json(rejected);
    assertThat(problem.getString("ticket")).isEqualTo(ticket);
    assertThat(problem.getBoolean("estimate")).isFalse();
    // 8 operations at 2 per 1000 s, of which 3600 s fit: 400 s, minus the time passed.
    assertThat(problem.getLong("slotMs"))
        .isEqualTo(problem.getLong("retryAfterMs"))
        .isBetween(380_000L, 400_000L + BIN_MILLIS);
    assertThat(header(rejected, "Retry-After-Ms"))
        .contains(Long.toString(problem.getLong("slotMs")));

    HttpResponse<String> second = slow("k1", "Prefer", "retry-ticket");
    assertThat(NodeFixture.json(second).getLong("slotMs"))
        .isBetween(880_000L, 900_000L + 2 * BIN_MILLIS);

    HttpResponse<String> early = slow("k1", "Retry-Ticket", ticket);
    assertThat(early.statusCode()).isEqualTo(429);
    assertThat(header(early, "Retry-Ticket")).contains(ticket);
    assertThat(NodeFixture.json(early).getLong("slotMs"))
        .isBetween(380_000L, problem.getLong("slotMs"));
  }

  @Test
  void callersWithoutTicketsGetAPlaceOrAnEstimateOfTheirOwn() {
    fill("k2");
    JsonObject first = NodeFixture.json(slow("k2"));
    JsonObject second = NodeFixture.json(slow("k2"));
    assertThat(first.containsKey("ticket")).isFalse();
    assertThat(first.getBoolean("estimate")).isFalse();
    assertThat(second.getLong("slotMs") - first.getLong("slotMs"))
        .isBetween(480_000L, 500_000L + BIN_MILLIS);
  }

  @Test
  void theCheckApiSpeaksOfTicketsToo() {
    fill("k3");
    JsonObject denied = check("k3", true);
    String ticket = denied.getString("ticket");
    assertThat(denied.getString("decision")).isEqualTo("denied");
    assertThat(denied.getBoolean("estimate")).isFalse();
    assertThat(denied.getLong("slotMs")).isBetween(380_000L, 400_000L + BIN_MILLIS);
    assertThat(check("k3", ticket).getString("ticket")).isEqualTo(ticket);
    assertThat(check("k3", false).containsKey("ticket")).isFalse();

    HttpResponse<String> atTheGateway = slow("k3", "Retry-Ticket", ticket);
    assertThat(header(atTheGateway, "Retry-Ticket")).contains(ticket);
  }

  @ParameterizedTest
  @CsvSource({"9999999999999999.1.0.00000000000000000000", "garbage", "''"})
  void aForgedTicketIsTreatedAsAbsent(String forged) {
    fill("k4");
    JsonObject denied = check("k4", forged);
    assertThat(denied.getString("decision")).isEqualTo("denied");
    assertThat(denied.getString("ticket")).isNotEqualTo(forged).matches(TICKET);
  }

  @ParameterizedTest
  @CsvSource({"5", "{}", "'\"" + "x" + "\"x'"})
  void aTicketThatIsNoTextIs400(String value) {
    String body = "{\"key\": \"%s\", \"operation\": \"Slow\", \"ticket\": %s}"
        .formatted(TestPolicies.key("k4"), value);
    assertThat(node.post("/v1/check", body).statusCode()).isEqualTo(400);
  }

  @Test
  void aTicketBelongsToOneSubject() {
    fill("k5");
    String ticket = check("k5", true).getString("ticket");
    fill("k6");
    assertThat(check("k6", ticket).getString("ticket")).isNotEqualTo(ticket);
    assertThat(check("k5", ticket).getString("ticket")).isEqualTo(ticket);
  }

  @Test
  void theUpstreamNeverSeesATicket() {
    HttpResponse<String> passed = node.get(
        "/held",
        "X-Api-Key",
        TestPolicies.key("k7"),
        "Retry-Ticket",
        "x",
        "Prefer",
        "retry-ticket");
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(passed).getJsonObject("headers").fieldNames())
        .doesNotContain("retry-ticket", "x-api-key")
        .contains("prefer");
  }

  @Test
  void aRequestWhoseSlotIsNearIsHeldAndForwarded() {
    double before = metric("throttle_slots_total{outcome=\"kept\"}");
    fillQueue(node, "k8", 5);
    HttpResponse<String> late = node.get("/queue", "X-Api-Key", TestPolicies.key("k8"));
    assertThat(late.statusCode()).isEqualTo(200);
    assertThat(metric("throttle_slots_total{outcome=\"kept\"}")).isEqualTo(before + 1);
    assertThat(held()).isZero();
  }

  @Test
  void aRequestWhoseSlotIsTooFarIsDeniedAtOnce() {
    fill("k9");
    HttpResponse<String> rejected = node.get("/far", "X-Api-Key", TestPolicies.key("k9"));
    assertThat(rejected.statusCode()).isEqualTo(429);
    assertThat(held()).isZero();
  }

  @Test
  void aKeyHoldsABoundedNumberOfRequestsAndAHangUpMakesRoom() throws IOException {
    String request = "GET /queue HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n"
        .formatted(TestPolicies.key("k10"));
    List<Socket> sockets = new ArrayList<>();
    // The first slot comes in ten seconds, and the last within the minute that it may be held.
    fillQueue(node, "k10", 100);
    try {
      for (int i = 0; i < 270; i++) {
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), node.uri("/").getPort());
        sockets.add(socket);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        // A node asks Redis for one key 50 times in a tenth of a second at most.
        if (sockets.size() % 25 == 0) {
          await().until(() -> held() + answered(sockets) == sockets.size());
        }
      }
      await().until(() -> held() == 250 && answered(sockets) == 20);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
    await().until(() -> held() == 0);
  }

  @Test
  void heldRequestsGetTheirTicketsWhenTheNodeStops() throws IOException {
    try (NodeFixture stopping = new NodeFixture(POLICY, FailureMode.DENY);
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), stopping.uri("/").getPort())) {
      fillQueue(stopping, "k1", 100);
      socket
          .getOutputStream()
          .write("GET /queue HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n\r\n"
              .formatted(TestPolicies.key("k1"))
              .getBytes(StandardCharsets.US_ASCII));
      await().until(() -> metric(stopping, "throttle_held_requests") == 1);
      stopping.node().close();
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 429 ").containsIgnoringCase("\nRetry-Ticket: ");
    }
  }

  private static int answered(List<Socket> sockets) throws IOException {
    int answered = 0;
    for (Socket socket : sockets) {
      answered += socket.getInputStream().available() > 0 ? 1 : 0;
    }
    return answered;
  }

  private static double held() {
    return metric("throttle_held_requests");
  }

  private static double metric(String name) {
    return metric(node, name);
  }

  private static double metric(NodeFixture node, String name) {
    return node.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  // Seven operations fit.
  private static void fill(String id) {
    JsonObject body = new JsonObject()
        .put("key", TestPolicies.key(id))
        .put("operation", "Slow")
        .put("cost", 7);
    node.post("/v1/check", body.encode());
  }

  // 100 operations fit. The place of a large request keeps the next slot from coming soon; a few
  // small ones take the rest of its bins.
  private static void fillQueue(NodeFixture node, String id, int ahead) {
    JsonObject body = new JsonObject().put("key", TestPolicies.key(id)).put("operation", "Queue");
    node.post("/v1/check", body.put("cost", 100).encode());
    node.post("/v1/check", body.put("cost", ahead).put("ticket", true).encode());
    for (int i = 0; i < 5; i++) {
      node.post("/v1/check", body.put("cost", 1).encode());
    }
  }

  private static HttpResponse<String> slow(String id, String... headers) {
    List<String> all = new ArrayList<>(List.of("X-Api-Key", TestPolicies.key(id)));
    all.addAll(List.of(headers));
    return node.get("/slow", all.toArray(String[]::new));
  }

  private static JsonObject check(String id, Object ticket) {
    JsonObject body = new JsonObject()
        .put("key", TestPolicies.key(id))
        .put("operation", "Slow")
        .put("ticket", ticket);
    return NodeFixture.json(node.post("/v1/check", body.encode()));
  }

  private static Optional<String> header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name);
  }

  private static String subjects() {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i <= 10; i++) {
      text.append(TestPolicies.subject("k" + i, ""));
    }
    return text.toString();
  }
}
