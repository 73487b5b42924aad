package io.weir.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jdk")
final class GatewayIT {
  @AutoClose
  private static final NodeFixture node = new NodeFixture(TestPolicies.slow(), FailureMode.DENY);

  @Test
  void admitsTheBurstAndThenAnswers429WithEverythingACallerNeeds() {
    for (int i = 6; i >= 0; i--) {
      HttpResponse<String> admitted = get("/ping", "k1");
      assertThat(admitted.statusCode()).isEqualTo(200);
      assertThat(header(admitted, "RateLimit")).startsWith("\"five\";r=%d;t=".formatted(i));
      assertThat(header(admitted, "RateLimit-Policy"))
          .isEqualTo("\"five\";q=7;w=3600, \"many\";q=100000;w=1");
    }
    HttpResponse<String> rejected = get("/ping", "k1");
    assertThat(rejected.statusCode()).isEqualTo(429);
    assertThat(header(rejected, "Content-Type")).isEqualTo("application/problem+json");
    JsonObject problem = NodeFixture.json(rejected);
    assertThat(problem.getString("type"))
        .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
    assertThat(problem.getInteger("status")).isEqualTo(429);
    assertThat(problem.getJsonArray("violated-policies")).isEqualTo(JsonArray.of("five"));
    assertThat(problem.getJsonArray("full")).isEqualTo(JsonArray.of("five"));
    long millis = problem.getLong("retryAfterMs");
    // 8 operations at 2 per 1000 s need 4000 s to drain, and 3600 s fit: 400 s, minus the time
    // passed.
    assertThat(millis).isBetween(380_000L, 400_000L);
    assertThat(header(rejected, "Retry-After-Ms")).isEqualTo(Long.toString(millis));
    assertThat(Long.parseLong(header(rejected, "Retry-After"))).isEqualTo((millis + 999) / 1000);
    assertThat(header(rejected, "RateLimit")).startsWith("\"five\";r=0;t=");
  }

  @Test
  void forwardsMethodPathHeadersAndBodyAndDropsWhatBelongsToOneHop() {
    HttpRequest.Builder request = HttpRequest.newBuilder(node.uri("/echo/a%20b?x=1&y=%2F"))
        .method("PATCH", HttpRequest.BodyPublishers.ofString("körper"))
        .headers(
            "Authorization",
            "Bearer " + TestPolicies.key("k2"),
            "X-Mine",
            "kept",
            "X-Weir-Subject",
            "forged")
        .headers("TE", "trailers", "Keep-Alive", "5", "Proxy-Authorization", "x")
        .headers("Cookie", "a=1; weir-session=of-an-operator");
    HttpResponse<String> response = node.send(request);
    JsonObject seen = NodeFixture.json(response);
    assertThat(seen.getString("method")).isEqualTo("PATCH");
    assertThat(seen.getString("uri")).isEqualTo("/echo/a%20b?x=1&y=%2F");
    assertThat(seen.getString("body")).isEqualTo("körper");
    JsonObject headers = seen.getJsonObject("headers");
    assertThat(headers.getString("x-mine")).isEqualTo("kept");
    assertThat(headers.getString("cookie")).isEqualTo("a=1");
    assertThat(headers.getString("x-weir-subject")).isEqualTo("k2");
    assertThat(headers.getString("x-weir-tenant")).isEqualTo("acme");
    assertThat(headers.fieldNames())
        .doesNotContain("te", "keep-alive", "proxy-authorization", "authorization");
    assertThat(header(response, "X-From-Upstream")).isEqualTo("yes");
    assertThat(response.headers().firstValue("X-Hop")).isEmpty();
  }

  @Test
  void keepsTheAuthorizationThatIsNotItsOwn() {
    HttpResponse<String> response = node.get(
        "/echo/x", "X-Api-Key", TestPolicies.key("k2"), "Authorization", "Bearer of-the-upstream");
    JsonObject headers = NodeFixture.json(response).getJsonObject("headers");
    assertThat(headers.getString("authorization")).isEqualTo("Bearer of-the-upstream");
    assertThat(headers.fieldNames()).doesNotContain("x-api-key");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "k1",
        "k1.",
        ".secret",
        "k1.wrong",
        "nobody.secret-of-nobody",
        "k{1}.secret",
        "k1.secret-of-k1x"
      })
  void wrongKeysAre401(String key) {
    HttpResponse<String> response = node.get("/ping", "X-Api-Key", key);
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(NodeFixture.json(response).getString("code")).isEqualTo("key_invalid");
    assertThat(response.body()).doesNotContain("secret-of");
  }

  @Test
  void noKeyIs401() {
    HttpResponse<String> response = node.get("/ping");
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(NodeFixture.json(response).getString("code")).isEqualTo("key_missing");
    assertThat(header(response, "WWW-Authenticate")).isEqualTo("Bearer");
  }

  @Test
  void frozenSubjectsAndUnlistedOperationsAre403() {
    assertThat(code(403, get("/ping", "frozen"))).isEqualTo("access_disabled");
    assertThat(code(403, get("/other", "k2"))).isEqualTo("operation_not_configured");
    assertThat(code(403, get("/", "k2"))).isEqualTo("operation_not_configured");
    assertThat(NodeFixture.json(get("/", "k2")).getString("operation")).isEqualTo("unlisted");
  }

  @Test
  void unlimitedOperationsPass() {
    HttpResponse<String> response = get("/free/lunch", "k2");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("RateLimit")).isEmpty();
    assertThat(get("/anything", "unlimited").statusCode()).isEqualTo(200);
  }

  @Test
  void costsComeFromHeaderQueryAndJson() {
    assertThat(code(422, post("/files", "", "k3", "X-Cost", "8")))
        .isEqualTo("cost_exceeds_capacity");
    assertThat(remaining(post("/files", "", "k3", "X-Cost", "2"))).isEqualTo(5);
    assertThat(remaining(get("/query?n=1", "k3"))).isEqualTo(4);
    HttpResponse<String> gas = post("/gas", "{\"gas\":{\"limit\":3}}", "k3");
    assertThat(remaining(gas)).isEqualTo(1);
    assertThat(NodeFixture.json(gas).getString("body")).isEqualTo("{\"gas\":{\"limit\":3}}");
    assertThat(post("/gas", "{}", "k3").statusCode()).isEqualTo(429);
  }

  @Test
  void aCostIsDividedAndRoundedUp() {
    // The bucket holds seven: 7000 gas in thousands, and no unit of gas more.
    assertThat(code(422, post("/kilogas", "{\"gas\":{\"limit\":7001}}", "gas")))
        .isEqualTo("cost_exceeds_capacity");
    assertThat(remaining(post("/kilogas", "{\"gas\":{\"limit\":1001}}", "gas"))).isEqualTo(5);
    assertThat(remaining(post("/kilogas", "{\"gas\":{\"limit\":1}}", "gas"))).isEqualTo(4);
    assertThat(remaining(post("/kilogas", "{\"gas\":{\"limit\":4000}}", "gas"))).isZero();
    HttpResponse<String> more = post("/kilogas", "{\"gas\":{\"limit\":30000001}}", "gas");
    assertThat(code(400, more)).isEqualTo("cost_invalid");
    assertThat(more.body()).contains("one whole number from 1 to 30000000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-1", "0", "1.5", "1e3", "", "abc", "10", "99999999999999999999", "0x1", "1 1"})
  void wrongCostsAre400AndTakeNothing(String cost) {
    HttpResponse<String> response = post("/files", "", "k4", "X-Cost", cost);
    assertThat(code(400, response)).isEqualTo("cost_invalid");
    assertThat(NodeFixture.json(response).getJsonArray("errors").getString(0))
        .contains("header X-Cost", "expected: one whole number from 1 to 9");
  }

  @Test
  void aMissingCostWithoutADefaultIs400() {
    assertThat(code(400, get("/query", "k4"))).isEqualTo("cost_invalid");
    assertThat(code(400, get("/query?n=1&n=2", "k4"))).isEqualTo("cost_invalid");
    assertThat(code(400, post("/gas", "no json", "k4"))).isEqualTo("cost_invalid");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/free/../ping",
        "/free/%2e%2e/ping",
        "//ping",
        "/ping//",
        "//",
        "///",
        "/free//x",
        "/free/%2Fping",
        "/free/%5c..",
        "/free/\\x",
        "/free/%00",
        "/free/%25",
        "/free/%zz",
        "/free/./x",
        "/free/%c0%ae"
      })
  void pathsThatCanBeReadInTwoWaysAre400(String path) {
    String response =
        node.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: "
            + TestPolicies.key("k4") + "\r\n\r\n");
    assertThat(response).startsWith("HTTP/1.1 400 ").doesNotContain("Exception");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET http://other/ping HTTP/1.1",
        "GET http://other?/free/lunch HTTP/1.1",
        "GET x://y/free/lunch HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT /ping HTTP/1.1",
        "GET /free/x#/../ping HTTP/1.1"
      })
  void requestTargetsThatAreNoPathAre400(String line) {
    assertThat(node.raw(line + "\r\nHost: x\r\nConnection: close\r\nX-Api-Key: "
            + TestPolicies.key("k4") + "\r\n\r\n"))
        .contains(" 400 ");
  }

  @Test
  void aBodyThatTwoServersMayFrameDifferentlyIs400() {
    String head = "POST /echo/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: "
        + TestPolicies.key("k2") + "\r\n";
    assertThat(node.raw(head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"))
        .contains(" 400 ");
    String oddCase = node.raw(head + "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    assertThat(oddCase).contains(" 200 ", "\"body\":\"abc\"");
  }

  @Test
  void anUpgradeToHttp2IsNotMade() {
    String preface = node.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assertThat(preface).doesNotContain(" 200 ").doesNotContain("\0\0");
  }

  @Test
  void costsInTheQueryCannotBeHidden() {
    assertThat(code(400, get("/query?n=1&" + "a&".repeat(1100) + "n=5000", "k4")))
        .isEqualTo("cost_invalid");
    assertThat(node.raw("GET /query?n=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: "
            + TestPolicies.key("k4") + "\r\n\r\n"))
        .contains(" 400 ");
  }

  @Test
  void answersWithoutABodyKeepTheirHeaders() {
    node.upstreamAnswers(
        "/echo/none",
        request ->
            request.response().setStatusCode(204).putHeader("X-Kept", "1").end());
    assertThat(get("/echo/none", "k2").statusCode()).isEqualTo(204);
    node.upstreamAnswers(
        "/echo/head",
        request -> request.response().putHeader("Content-Length", "7").end());
    HttpResponse<String> head = node.send(HttpRequest.newBuilder(node.uri("/echo/head"))
        .header("X-Api-Key", TestPolicies.key("k2"))
        .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(header(head, "Content-Length")).isEqualTo("7");
  }

  @Test
  void oddButLegalHeadersOfTheUpstreamPass() {
    node.upstreamAnswers(
        "/echo/odd",
        request -> request
            .response()
            .putHeader("Cache-Control", "public, max-age=31536000000")
            .putHeader("Expires", "0")
            .end("ok"));
    assertThat(get("/echo/odd", "k2").body()).isEqualTo("ok");
  }

  @Test
  void aSlowAnswerPassesAsLongAsItMovesAndIsCutWhenItStalls() {
    node.upstreamAnswers("/echo/slow", request -> {
      request.response().setChunked(true).write("a");
      long[] left = {5};
      Vertx.currentContext().owner().setPeriodic(300, timer -> {
        request.response().write("b");
        if (--left[0] == 0) {
          Vertx.currentContext().owner().cancelTimer(timer);
          request.response().end();
        }
      });
    });
    assertThat(get("/echo/slow", "k2").body())
        .isEqualTo("abbbbb"); // 1.5 s, with a timeout of 0.7 s
    node.upstreamAnswers(
        "/echo/stall", request -> request.response().setChunked(true).write("a"));
    assertThatThrownBy(() -> get("/echo/stall", "k2")).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void anAnswerBeforeTheWholeRequestAffectsNoOtherRequest() {
    node.upstreamAnswers(
        "/echo/early", request -> request.response().setStatusCode(404).end("no"));
    byte[] half = new byte[50_000];
    String head = "POST /echo/early HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nX-Api-Key: "
        + TestPolicies.key("k2") + "\r\n\r\n";
    String request = head + new String(half, StandardCharsets.US_ASCII);
    ExecutorService callers = Executors.newFixedThreadPool(5);
    try {
      List<CompletableFuture<String>> answers = Stream.generate(
              () -> CompletableFuture.supplyAsync(() -> node.raw(request), callers))
          .limit(5)
          .toList();
      assertOthersPass();
      assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).contains(" 404 "));
      assertOthersPass();
    } finally {
      callers.shutdownNow();
    }
  }

  private static void assertOthersPass() {
    for (int i = 0; i < 25; i++) {
      assertThat(get("/echo/x", "k2").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aCallerOfHttp10SeesTheEndOfTheAnswer() {
    node.upstreamAnswers(
        "/echo/chunks", request -> request.response().setChunked(true).end("all of it"));
    String response = node.raw(
        "GET /echo/chunks HTTP/1.0\r\nConnection: keep-alive\r\nX-Forwarded-Host: evil\r\nX-Api-Key: "
            + TestPolicies.key("k2") + "\r\n\r\n");
    assertThat(response).endsWith("all of it");
    String echoed = node.raw("GET /echo/host HTTP/1.0\r\nX-Forwarded-Host: evil\r\nX-Api-Key: "
        + TestPolicies.key("k2") + "\r\n\r\n");
    assertThat(echoed).contains(" 200 ").doesNotContain("evil");
  }

  @Test
  void theReasonBesideAStatusIsItsOwn() {
    node.upstreamAnswers(
        "/echo/head-only",
        request -> request.response().setChunked(true).setStatusMessage("Fine").writeHead());
    assertThat(
            node.raw("GET /echo/head-only HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: "
                + TestPolicies.key("k2") + "\r\n\r\n"))
        .startsWith("HTTP/1.1 504 Gateway Timeout");
  }

  @Test
  void anAnswerOfTheGatewayItselfTellsTheLimitsToo() {
    HttpResponse<String> response = get("/echo/broken2", "k6");
    assertThat(response.statusCode()).isEqualTo(200);
    node.upstreamAnswers("/echo/broken2", request -> request.connection().close());
    assertThat(header(get("/echo/broken2", "k6"), "RateLimit")).startsWith("\"many\"");
  }

  @Test
  void segmentParametersDoNotChangeTheOperation() {
    assertThat(code(422, post("/files;v=1", "", "k4", "X-Cost", "9")))
        .isEqualTo("cost_exceeds_capacity");
  }

  @Test
  void bodiesOverTheLimitAre413HoweverTheyCome() {
    String long1 = "x".repeat(100_001);
    assertThat(code(413, post("/echo/x", long1, "k2"))).isEqualTo("body_too_long");
    HttpRequest.Builder chunked = HttpRequest.newBuilder(node.uri("/echo/x"))
        .header("X-Api-Key", TestPolicies.key("k2"))
        .POST(HttpRequest.BodyPublishers.ofInputStream(
            () -> new ByteArrayInputStream(new byte[300_000])));
    HttpResponse<String> response = node.send(chunked);
    assertThat(code(413, response)).isEqualTo("body_too_long");
    HttpRequest.Builder gas = HttpRequest.newBuilder(node.uri("/gas"))
        .header("X-Api-Key", TestPolicies.key("k2"))
        .POST(HttpRequest.BodyPublishers.ofInputStream(
            () -> new ByteArrayInputStream(new byte[300_000])));
    assertThat(code(413, node.send(gas))).isEqualTo("body_too_long");
    assertThat(post("/echo/x", "x".repeat(100_000), "k2").statusCode()).isEqualTo(200);
  }

  @Test
  void headersAndLinesOverTheLimitAreRefused() {
    String key = "X-Api-Key: " + TestPolicies.key("k2") + "\r\n";
    assertThat(node.raw("GET /echo/x HTTP/1.1\r\nHost: x\r\n" + key + "X-Long: "
            + "x".repeat(20_000) + "\r\n\r\n"))
        .contains(" 431 ");
    assertThat(
            node.raw("GET /echo/" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n" + key + "\r\n"))
        .contains(" 414 ");
    assertThat(node.raw("nonsense\r\n\r\n")).contains(" 400 ");
    assertThat(
            node.raw("POST /echo/x HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n" + key + "\r\n"))
        .contains(" 400 ");
  }

  @Test
  void anUpstreamThatIsSilentIs504AndOneThatBreaksIs502() {
    node.upstreamAnswers("/echo/silent", request -> {});
    node.upstreamAnswers("/echo/broken", request -> request.connection().close());
    assertThat(code(504, get("/echo/silent", "k2"))).isEqualTo("upstream_timeout");
    assertThat(code(502, get("/echo/broken", "k2"))).isEqualTo("upstream_unreachable");
  }

  @Test
  void theAnswerOfTheUpstreamIsStreamedAndItsStatusKept() {
    node.upstreamAnswers("/echo/stream", request -> {
      request.response().setChunked(true).setStatusCode(418);
      for (int i = 0; i < 1000; i++) {
        request.response().write("0123456789".repeat(100));
      }
      request.response().end();
    });
    HttpResponse<String> response = get("/echo/stream", "k2");
    assertThat(response.statusCode()).isEqualTo(418);
    assertThat(response.body()).hasSize(1_000_000);
    assertThat(header(response, "RateLimit")).startsWith("\"many\"");
  }

  @Test
  void aCallerThatHangsUpTakesItsRequestAlong() throws Exception {
    AtomicInteger closed = new AtomicInteger();
    CountDownLatch arrived = new CountDownLatch(1);
    node.upstreamAnswers("/echo/wait", request -> {
      request.connection().closeHandler(gone -> closed.incrementAndGet());
      arrived.countDown();
    });
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), node.uri("/").getPort())) {
      socket
          .getOutputStream()
          .write(("GET /echo/wait HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + TestPolicies.key("k2")
                  + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      assertThat(arrived.await(5, TimeUnit.SECONDS)).isTrue();
    }
    await()
        .atMost(Duration.ofMillis(600)) // the upstream's own timeout is later
        .until(() -> closed.get() > 0);
  }

  private static HttpResponse<String> get(String path, String subject) {
    return node.get(path, "X-Api-Key", TestPolicies.key(subject));
  }

  private static HttpResponse<String> post(
      String path, String body, String subject, String... headers) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "X-Api-Key";
    all[headers.length + 1] = TestPolicies.key(subject);
    return node.post(path, body, all);
  }

  private static String code(int status, HttpResponse<String> response) {
    assertThat(response.statusCode()).describedAs(response.body()).isEqualTo(status);
    assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
    return NodeFixture.json(response).getString("code");
  }

  private static long remaining(HttpResponse<String> response) {
    assertThat(response.statusCode()).describedAs(response.body()).isEqualTo(200);
    return Long.parseLong(header(response, "RateLimit").replaceAll("\"five\";r=(\\d+);.*", "$1"));
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }
}
