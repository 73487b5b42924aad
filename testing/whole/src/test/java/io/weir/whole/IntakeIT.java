package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.state.connection.RedisConnections;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with unusual framing, and the common behaviour of all doors. */
@Tag("isolation")
final class IntakeIT {
  private static final String KEY = "X-Api-Key: " + TestPolicies.key("k2") + "\r\n";
  private static final String SMUGGLED = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

  @AutoClose
  private static final NodeFixture node =
      NodeFixture.withOwnRedis(TestPolicies.slow(), FailureMode.DENY);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /echo/x",
        "POST /v1/check",
        "POST /v1/batch",
        "GET /metrics",
        "PUT /v1/policy"
      })
  void whateverFollowsARequestOfOddFramingIsNotAnswered(String line) {
    String answer = node.raw(
        line + " HTTP/1.1\r\nHost: x\r\n" + KEY + "Transfer-Encoding: xchunked\r\n\r\n" + SMUGGLED);
    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("onnection: close");
    assertThat(answer).doesNotContain("\"live\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health/live HTTP/1.1\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "get /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /v1/check HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      })
  void aRequestThatCanBeReadInTwoWaysIsRefusedAtEveryDoor(String request) {
    assertThat(node.raw(request + SMUGGLED))
        .startsWith("HTTP/1.")
        .contains(" 400 ")
        .doesNotContain("\"live\"");
  }

  @Test
  void thePrefaceOfHttp2IsAnsweredInHttp11() {
    assertThat(node.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).contains("HTTP/1.1 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.2", "HTTP/1.9", "FOO/1.1", "HTTP/0.9", "HTTP/2.0", "HTTP/3.0"})
  void anUnsupportedVersionIsRefusedAndNothingOfItIsRepeated(String version) {
    String answer =
        node.raw("GET /health/live?a-text-of-mine " + version + "\r\nHost: x\r\n\r\n" + SMUGGLED);
    assertThat(answer).startsWith("HTTP/1.1 505 ").contains("version_not_supported");
    assertThat(answer).doesNotContain("a-text-of-mine", version + " ", "\"live\"");
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/health/live,colour,none",
    "GET,/health/ready,colour,none",
    "GET,/metrics,colour,none",
    "GET,/openapi.json,colour,none",
    "GET,/v1/policy,dryRun,none",
    "GET,/v1/policy/jobs,colour,none",
    "PUT,/v1/policy,dryrun,'comment, dryRun, force'",
    "POST,/v1/reset,dryrun,dryRun",
    "POST,/v1/check,dryRun,none",
    "POST,/v1/reservations,dryRun,none",
    "POST,/v1/permits,colour,none",
    "GET,/v1/windows/w,colour,none",
    "GET,/v1/jobs/Op/x,colour,none",
    "POST,/v1/batch,dryRun,none"
  })
  void aParameterThatADoorDoesNotKnowIsRefusedAtEveryDoor(
      String method, String path, String name, String known) {
    String answer = node.raw("%s %s?%s=true HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n%s\r\n"
        .formatted(method, path, name, "Connection: close\r\n" + KEY));
    assertThat(answer)
        .startsWith("HTTP/1.1 400 ")
        .contains(
            "query_invalid", "%s: no such query parameter (expected: %s)".formatted(name, known));
  }

  @Test
  void aRequestThatIsForwardedHasAnyParameters() {
    assertThat(node.get("/echo/x?dryRun=true&&=1;2", "X-Api-Key", TestPolicies.key("k2"))
            .statusCode())
        .isEqualTo(200);
    assertThat(node.get("/health/live?").statusCode()).isEqualTo(200);
  }

  @Test
  void aBodyIsAskedForOnlyOnceItsCallerIsKnown() {
    String request =
        "POST %s HTTP/1.1\r\nHost: x\r\n%sExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    for (String path : new String[] {"/echo/x", "/gas", "/v1/batch", "/v1/policy"}) {
      String line = path.equals("/v1/policy") ? request.replace("POST", "PUT") : request;
      assertThat(node.raw(line.formatted(path, "")))
          .doesNotContain("100 Continue")
          .contains(" 401 ");
    }
    try (Socket socket = node.connect()) {
      NodeFixture.write(socket, request.formatted("/echo/x", KEY + "Connection: close\r\n"));
      await().atMost(Duration.ofMinutes(1)).until(() -> socket.getInputStream().available() > 0);
      NodeFixture.write(socket, "abc");
      assertThat(NodeFixture.read(socket, 3000))
          .startsWith("HTTP/1.1 100 Continue")
          .contains("\"body\":\"abc\"");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aBrokenChunkIsABadRequest() {
    String head = "POST %s HTTP/1.1\r\nHost: x\r\n" + KEY + "Transfer-Encoding: chunked\r\n\r\n";
    for (String path : new String[] {"/echo/x", "/gas", "/v1/check"}) {
      assertThat(node.raw(head.formatted(path) + "3\r\nabc\r\nzz\r\n")).contains(" 400 ");
    }
  }

  @Test
  void aStalledBodyIsRefusedAsTooSlow() {
    for (String path : new String[] {"/echo/x", "/gas"}) {
      try (Socket socket = node.connect()) {
        NodeFixture.write(
            socket,
            "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + KEY + "Content-Length: 9000\r\n\r\nabc");
        assertThat(NodeFixture.read(socket, 10_000))
            .startsWith("HTTP/1.1 408 ")
            .contains("body_too_slow", "onnection: close");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void everyAnswerHasADateAndAnotherMethodGetsTheAllowedOnes() {
    HttpResponse<String> denied = node.get("/v1/check");
    assertThat(denied.statusCode()).isEqualTo(405);
    assertThat(denied.headers().firstValue("Allow")).hasValue("POST");
    assertThat(denied.headers().firstValue("Date")).isPresent();
    HttpResponse<String> policy = node.post("/v1/policy", "");
    assertThat(policy.headers().firstValue("Allow")).hasValue("GET, PATCH, PUT");
    HttpResponse<String> forwarded = node.get(
        "/echo/x",
        "X-Api-Key",
        TestPolicies.key("k2"),
        "X-Forwarded-For",
        "10.0.0.1",
        "X_Weir_Subject",
        "admin");
    assertThat(forwarded.headers().allValues("Date")).hasSize(1);
    assertThat(forwarded.headers().firstValue("Via")).hasValue("1.1 weir");
    JsonObject headers = NodeFixture.json(forwarded).getJsonObject("headers");
    assertThat(headers.getString("via")).isEqualTo("1.1 weir");
    assertThat(headers.getString("forwarded")).isEqualTo("for=127.0.0.1;proto=http");
    assertThat(headers.getString("x-forwarded-for")).endsWith("127.0.0.1");
    assertThat(headers.getString("x-weir-subject")).isEqualTo("k2");
    assertThat(headers.fieldNames()).doesNotContain("x_weir_subject");
  }

  @ParameterizedTest
  @ValueSource(strings = {"full", "replica"})
  void aNodeWhoseRedisTakesNoWritesIsNotReady(String fault) {
    assertThat(node.get("/health/ready").statusCode()).isEqualTo(200);
    try (RedisConnections connections =
        RedisConnections.open(node.redisUri(), Duration.ofMinutes(1))) {
      var redis = connections.sync();
      if (fault.equals("full")) {
        redis.configSet("maxmemory", "1");
      } else {
        redis.replicaof("127.0.0.1", 1);
      }
      // A Redis that becomes a replica ends its connections first: the node may see that before.
      String reason = fault.equals("full") ? "OOM" : "READONLY";
      await().atMost(Duration.ofMinutes(1)).until(() -> isNotReady(reason));
      redis.replicaofNoOne();
      redis.configSet("maxmemory", "0");
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> node.get("/health/ready").statusCode() == 200);
  }

  private static boolean isNotReady(String reason) {
    HttpResponse<String> ready = node.get("/health/ready");
    return ready.statusCode() == 503
        && NodeFixture.json(ready).getString("reason", "").startsWith(reason);
  }

  @Test
  void aNodeThatStopsServesForAWhileAndSaysSo() {
    NodeFixture other =
        new NodeFixture(TestPolicies.slow(), FailureMode.DENY, Duration.ofSeconds(2));
    CompletableFuture<Void> closing = CompletableFuture.runAsync(other::close);
    await().atMost(Duration.ofMinutes(1)).until(() -> {
      HttpResponse<String> ready = other.get("/health/ready");
      return ready.statusCode() == 503
          && NodeFixture.json(ready).getString("code").equals("stopping")
          && ready.headers().firstValue("Connection").orElse("").equals("close");
    });
    HttpResponse<String> forwarded = other.get("/echo/x", "X-Api-Key", TestPolicies.key("k2"));
    assertThat(forwarded.statusCode()).isEqualTo(200);
    assertThat(forwarded.headers().firstValue("Connection")).hasValue("close");
    closing.join();
  }
}
