package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.CapturedLog;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a proxy that asks is told of its callers' requests. The policy has no upstream. */
final class AuthorizeIT {
  // Slow, so that nothing drains during a test.
  private static final String OPERATIONS = """
      operations:
        - { name: Ping, match: { method: GET, path: /ping } }
        - { name: Orders, match: { path: "/orders/**" }, cost: { header: X-Cost, default: 1, max: 9 } }
        - { name: Free, match: { path: "/free/**" }, unlimited: true }
        - { name: Gas, match: { method: POST, path: /gas }, cost: { json: /gas/limit, default: 2 } }
        - { name: Stream, match: { path: /stream } }
        - { name: Open, match: { path: /open }, identity: [anonymous] }
      buckets:
        - { name: five, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 2, operations: [Ping, Orders, Gas, Open] }] }
      permits: [{ name: streams, limit: 3, operations: [Stream] }]
      subjects:
      """
      + Stream.of("k1", "k2", "k3", "k4", "k5", "k6", "k7")
          .map(id -> TestPolicies.subject(id, ""))
          .reduce("", String::concat);
  private static final String IDENTITY = """
      identity:
        apiKey: { headers: [X-Api-Key], query: api_key }
        clientCertificate: { tenant: machines }
        anonymous: { tenant: public }
        proxies: [127.0.0.1]
      """;

  @AutoClose
  private static final NodeFixture fixture =
      new NodeFixture(OPERATIONS + IDENTITY, FailureMode.DENY);

  private static HttpResponse<String> original(String target, String key, String... more) {
    return asked("/v1/authorize", "X-Original-Method", "X-Original-URI", target, key, more);
  }

  private static HttpResponse<String> asked(
      String door, String method, String uri, String target, String key, String... more) {
    List<String> headers =
        Stream.concat(Stream.of(method, "GET", uri, target), Stream.of(more)).toList();
    Stream<String> all =
        key.isEmpty() ? headers.stream() : Stream.concat(headers.stream(), shown(key));
    return fixture.get(door, all.toArray(String[]::new));
  }

  private static Stream<String> shown(String id) {
    return Stream.of("X-Api-Key", TestPolicies.key(id));
  }

  private static String code(HttpResponse<String> response) {
    return NodeFixture.json(response).getString("code");
  }

  @Test
  void whatFitsMayPassAndWhatDoesNotIsAnsweredForTheCaller() {
    HttpResponse<String> passes = original("/orders/1?x=y", "k1", "X-Cost", "5");
    assertThat(passes.statusCode()).isEqualTo(200);
    assertThat(passes.body()).isEmpty();
    assertThat(passes.headers().firstValue("X-Weir-Subject")).contains("k1");
    assertThat(passes.headers().firstValue("X-Weir-Tenant")).contains("acme");
    assertThat(passes.headers().firstValue("RateLimit")).isPresent();

    HttpResponse<String> denied = original("/orders/1", "k1", "X-Cost", "4");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    assertThat(denied.headers().firstValue("Retry-After-Ms")).isPresent();
    assertThat(denied.headers().firstValue("X-Weir-Subject")).isEmpty();
    assertThat(NodeFixture.json(denied).getString("operation")).isEqualTo("Orders");
  }

  @Test
  void aCallerThatAsksForATicketHasItsSlotBehindAProxy() {
    assertThat(original("/orders/1", "k2", "X-Cost", "7").statusCode()).isEqualTo(200);
    HttpResponse<String> denied = original("/ping", "k2", "Prefer", "retry-ticket");
    assertThat(denied.statusCode()).isEqualTo(429);
    String ticket = denied.headers().firstValue("Retry-Ticket").orElseThrow();
    HttpResponse<String> early = original("/ping", "k2", "Retry-Ticket", ticket);
    assertThat(early.statusCode()).isEqualTo(429);
    assertThat(early.headers().firstValue("Retry-Ticket")).contains(ticket);
  }

  @Test
  void onlyTheHeadersOfTheChosenStyleAreRead() {
    String[] spoofed = {"X-Original-Method", "GET", "X-Original-URI", "/free/x"};
    List<Integer> statuses = IntStream.range(0, 9)
        .mapToObj(i -> asked(
                "/v1/authorize?style=forwarded",
                "X-Forwarded-Method",
                "X-Forwarded-Uri",
                "/ping",
                "k3",
                spoofed)
            .statusCode())
        .toList();
    assertThat(statuses).contains(429);
  }

  @Test
  void nginxGetsThreeStatusesAndTheOthersInAHeader() {
    String door = "/v1/authorize?style=nginx";
    String method = "X-Original-Method";
    String uri = "X-Original-URI";
    assertThat(asked(door, method, uri, "/orders/1", "k4", "X-Cost", "7").statusCode())
        .isEqualTo(200);
    HttpResponse<String> denied = asked(door, method, uri, "/ping", "k4");
    assertThat(denied.statusCode()).isEqualTo(403);
    assertThat(denied.headers().firstValue("Weir-Status")).contains("429");
    assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    HttpResponse<String> unclear = asked(door, method, uri, "/a/../free/x", "k4");
    assertThat(unclear.statusCode()).isEqualTo(403);
    assertThat(unclear.headers().firstValue("Weir-Status")).contains("400");
    HttpResponse<String> unknown = asked(door, method, uri, "/ping", "nobody");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.headers().firstValue("Weir-Status")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
  void envoyRepeatsTheRequestBehindAPrefix(String method) {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            fixture.uri("/v1/authorize/orders/1?a=b&c=%20"))
        .method(method, BodyPublishers.noBody())
        .header("X-Api-Key", TestPolicies.key("k5"));
    HttpResponse<String> answer = fixture.send(request);
    assertThat(answer.statusCode()).isIn(200, 429);
    assertThat(answer.headers().firstValue("RateLimit")).isPresent();
  }

  @Test
  void aKeyMayBeInTheCallersQueryAndACallerWithoutOneIsKnownByItsAddress() {
    String key = "/ping?api_key=" + TestPolicies.key("k6");
    assertThat(original(key, "").headers().firstValue("X-Weir-Subject")).contains("k6");
    HttpResponse<String> open = original("/open", "", "X-Forwarded-For", "198.51.100.7");
    assertThat(open.statusCode()).isEqualTo(200);
    assertThat(open.headers().firstValue("X-Weir-Subject")).contains("ip:198.51.100.7");
  }

  @ParameterizedTest
  @CsvSource({
    "/a/%2e%2e/free/x, 400, path_ambiguous",
    "free/x, 400, original_request_invalid",
    "http://other/free/x, 400, original_request_invalid",
    "/stream, 403, permits_unsupported"
  })
  void whatCannotBeJudgedIsRefusedWithTheReason(String target, int status, String code) {
    HttpResponse<String> refused = original(target, "k7");
    assertThat(refused.statusCode()).isEqualTo(status);
    assertThat(code(refused)).isEqualTo(code);
  }

  @Test
  void anOperationWhoseCostIsInItsBodyIsRefused() {
    HttpResponse<String> refused = fixture.get(
        "/v1/authorize",
        "X-Original-Method",
        "POST",
        "X-Original-URI",
        "/gas",
        "X-Api-Key",
        TestPolicies.key("k7"));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(code(refused)).isEqualTo("body_needed");
  }

  @Test
  void aCostUnderANameThatOtherServersReadIsRefused() {
    HttpResponse<String> refused = original("/orders/1", "k7", "X_Cost", "9");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(code(refused)).isEqualTo("cost_invalid");
  }

  @Test
  void aPathThatOnlyBeginsLikeTheDoorIsNoPathOfTheUpstream() {
    assertThat(fixture.get("/v1/authorize*").statusCode()).isEqualTo(404);
    assertThat(fixture.get("/v1/authorizer/x").statusCode()).isEqualTo(404);
  }

  @Test
  void aRequestThatIsNotDescribedOrTwiceIsRefused() {
    HttpResponse<String> missing = fixture.get("/v1/authorize", "X-Original-URI", "/ping");
    assertThat(missing.statusCode()).isEqualTo(400);
    assertThat(code(missing)).isEqualTo("original_request_missing");
    HttpResponse<String> twice = original("/ping", "k7", "X-Original-URI", "/free/x");
    assertThat(twice.statusCode()).isEqualTo(400);
    assertThat(twice.body()).contains("X-Original-URI: 2 times (expected: once, set by the proxy)");
    HttpResponse<String> style = fixture.get("/v1/authorize?style=apache");
    assertThat(style.body()).contains("style: (expected: original, forwarded or nginx)");
  }

  @Test
  void theGatewayAndTheDoorHaveOneLimit() {
    String policy = OPERATIONS + IDENTITY + "upstream: { url: \"http://127.0.0.1:UPSTREAM\" }\n";
    try (NodeFixture both = new NodeFixture(policy, FailureMode.DENY)) {
      List<Integer> statuses = IntStream.range(0, 20)
          .mapToObj(i -> (i % 2 == 0
                  ? both.get("/ping", "X-Api-Key", TestPolicies.key("k1"))
                  : both.get(
                      "/v1/authorize",
                      "X-Original-Method",
                      "GET",
                      "X-Original-URI",
                      "/ping",
                      "X-Api-Key",
                      TestPolicies.key("k1")))
              .statusCode())
          .toList();
      assertThat(statuses.stream().filter(status -> status != 429)).hasSize(7);
    }
  }

  @Test
  void onlyListedProxiesMayAskAndTheLogNamesTheOthers() {
    try (NodeFixture closed = new NodeFixture(OPERATIONS, FailureMode.DENY);
        CapturedLog log = new CapturedLog()) {
      for (String door : List.of("/v1/authorize", "/v1/authorize/free/x", "/v1/authorize/?a=b")) {
        HttpResponse<String> refused = closed.get(
            door,
            "X-Original-Method",
            "GET",
            "X-Original-URI",
            "/ping",
            "X-Api-Key",
            TestPolicies.key("k1"));
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(code(refused)).isEqualTo("proxy_unknown");
      }
      assertThat(log.text())
          .contains("/v1/authorize was asked from 127.0.0.1, which identity.proxies");
    }
  }
}
