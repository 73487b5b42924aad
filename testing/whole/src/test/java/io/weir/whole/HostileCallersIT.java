package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One valid key cannot take resources from the others. */
@Tag("isolation")
final class HostileCallersIT {
  private static final String HOSTILE = "X-Api-Key: " + TestPolicies.key("k2") + "\r\n";
  private static final int MANY = 300;

  @AutoClose
  private static final NodeFixture node = new NodeFixture(policy(), FailureMode.DENY);

  private final List<Socket> sockets = new ArrayList<>();

  // A long timeout, so that the upstream is not to blame.
  private static String policy() {
    return TestPolicies.slow()
        .replace("timeoutMs: 2500", "timeoutMs: 60000")
        .replace("maxBodyBytes: 100000", "maxBodyBytes: 10000000")
        .replace("tenant: acme", "tenant: mine")
        .replace("k2: { tenant: mine", "k2: { tenant: hostile");
  }

  @AfterEach
  void hangUp() {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void uploadsThatStallLeaveConnectionsToOthersAndAreEnded() {
    open("POST /echo/x HTTP/1.1\r\nHost: x\r\n" + HOSTILE + "Content-Length: 100000\r\n\r\nx");
    othersAreServed();
    List<String> answers =
        sockets.stream().map(socket -> NodeFixture.read(socket, 12_000)).toList();
    assertThat(answers).filteredOn(answer -> answer.startsWith("HTTP/1.1 408 ")).isNotEmpty();
    assertThat(answers)
        .allMatch(answer -> answer.startsWith("HTTP/1.1 408 ")
            || (answer.startsWith("HTTP/1.1 429 ") && answer.contains("requests_in_flight")));
  }

  @Test
  void bodiesThatWaitInMemoryLeaveSomeToOthers() {
    String most = "x".repeat(2_000_000);
    List<Socket> opened =
        open("POST /gas HTTP/1.1\r\nHost: x\r\n" + HOSTILE + "Content-Length: 2000001\r\n\r\n", 40);
    for (Socket socket : opened) {
      try {
        NodeFixture.write(socket, most);
      } catch (UncheckedIOException e) {
        // The node has answered, and stopped reading.
      }
    }
    othersAreServed();
    HttpResponse<String> gas =
        node.post("/gas", "{\"gas\":{\"limit\":1}}", "X-Api-Key", TestPolicies.key("k4"));
    assertThat(gas.statusCode()).isEqualTo(200);
  }

  @Test
  void checksThatNeverComeLeaveSomeToOthers() {
    String head = "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 262144\r\n\r\n";
    open(head + " ".repeat(262_000));
    String check = "{\"key\":\"%s\",\"operation\":\"Echo\"}".formatted(TestPolicies.key("k3"));
    for (int i = 0; i < 20; i++) {
      assertThat(node.post("/v1/check", check).statusCode()).isEqualTo(200);
      assertThat(node.post("/v1/check", check + " ".repeat(100_000)).statusCode())
          .isEqualTo(200);
    }
    List<String> answers =
        sockets.stream().map(socket -> NodeFixture.read(socket, 15_000)).toList();
    assertThat(answers).filteredOn(answer -> answer.startsWith("HTTP/1.1 503 ")).isNotEmpty();
    assertThat(answers)
        .allMatch(
            answer -> answer.startsWith("HTTP/1.1 503 ") || answer.startsWith("HTTP/1.1 408 "));
  }

  @Test
  void aCheckThatTricklesIsEndedThoughItIsFastEnough() throws IOException {
    try (Socket socket = node.connect()) {
      NodeFixture.write(
          socket, "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 262144\r\n\r\n");
      String[] answer = {""};
      await().pollInterval(Duration.ofMillis(500)).atMost(Duration.ofMinutes(1)).until(() -> {
        NodeFixture.write(socket, " ".repeat(5000));
        answer[0] = NodeFixture.read(socket, 10);
        return !answer[0].isEmpty();
      });
      assertThat(answer[0]).startsWith("HTTP/1.1 408 ");
    }
  }

  @Test
  void referencesThatLeadNowhereAreNotLookedUpForNothing() {
    String told = "{\"outcome\":\"executed\",\"body\":{\"long\":\"%s\",\"end\":1}}"
        .formatted("x".repeat(3_000_000));
    String body =
        "[%s{\"from\":0,\"path\":\"/no\"}]".formatted("{\"from\":0,\"path\":\"/end\"},".repeat(10));
    String batch = ("{\"batch\":{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/x\"},"
            + "{\"method\":\"POST\",\"path\":\"/echo/x\",\"body\":%s}]},\"answer\":{\"results\":[%s]}}")
        .formatted(body, told);
    List<HttpResponse<String>> answers =
        IntStream.range(0, 12).mapToObj(i -> batch("k6", batch)).toList();
    // Each reads half of what is allowed at once; while a slow machine sends the next one, some of
    // it is
    // forgotten.
    HttpResponse<String> refused = answers.stream()
        .filter(answer -> answer.statusCode() == 429)
        .findFirst()
        .orElseThrow();
    assertThat(refused.body()).contains("unpaid_bodies");
    assertThat(refused.headers().firstValueAsLong("Retry-After-Ms")).isPresent();
    assertThat(batch("k3", "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/x\"}]}")
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void theCostOfALongItemOfABatchIsNotReadOnAnEventLoop() {
    String names = IntStream.range(0, 400_000)
        .mapToObj(i -> "\"nameNumber%d\":1".formatted(i))
        .collect(Collectors.joining(",", "{", ",\"gas\":{\"limit\":1}}"));
    HttpResponse<String> answer =
        batch("k1", "{\"items\":[{\"method\":\"POST\",\"path\":\"/gas\",\"body\":" + names + "}]}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(NodeFixture.json(answer).getInteger("executed")).isEqualTo(1);
  }

  @Test
  void batchesThatNeverComeLeaveSomeToOthers() {
    open(
        "POST /v1/batch HTTP/1.1\r\nHost: x\r\n" + HOSTILE + "Transfer-Encoding: chunked\r\n\r\n",
        40);
    assertThat(batch("k3", "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/x\"}]}")
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aLongBatchOfNonsenseGetsAShortAnswer() {
    String fields = IntStream.range(0, 300_000)
        .mapToObj(i -> "\"field-number-%d\":1".formatted(i))
        .collect(Collectors.joining(",", "{", "}"));
    HttpResponse<String> answer = batch("k3", fields);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(answer).getJsonArray("errors")).hasSize(100);
    assertThat(answer.body().length()).isLessThan(20_000);
    HttpResponse<String> check = node.post("/v1/check", fields.substring(0, 200_000) + "\":1}");
    assertThat(check.statusCode()).isEqualTo(400);
    assertThat(NodeFixture.json(check).getJsonArray("errors")).hasSize(100);
    assertThat(batch("k3", " ".repeat((8 << 20) + 1)).statusCode()).isEqualTo(413);
  }

  @Test
  void aLongBodyOfABatchIsNoTreeOfObjects() {
    String objects = "{},".repeat(2_000_000);
    HttpResponse<String> answer = batch(
        "k3",
        "{\"items\":[{\"method\":\"POST\",\"path\":\"/echo/x\",\"body\":[" + objects + "{}]}]}");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(NodeFixture.json(answer).getInteger("executed")).isEqualTo(1);
    String references = "{\"from\":0,\"path\":\"\"},".repeat(1000);
    HttpResponse<String> many = batch(
        "k3",
        "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/x\"},{\"method\":\"POST\",\"path\":\"/echo/x\",\"body\":["
            + references + "1]}]}");
    JsonArray results = NodeFixture.json(many).getJsonArray("results");
    assertThat(results.getJsonObject(1).getString("reason")).isEqualTo("more than 256 references");
  }

  @Test
  void aReferenceToAnEmptyTextDoesNotBecomeTheCollection() {
    HttpResponse<String> answer = batch("k3", """
        {"items": [{"method": "DELETE", "path": "/echo/{id}", "parameters": {"id": ""}}]}""");
    assertThat(
            NodeFixture.json(answer).getJsonArray("results").getJsonObject(0).getString("reason"))
        .isEqualTo("the path's {id} has no text or number");
  }

  @Test
  void aPathCannotBeMadeLong() {
    String item =
        "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/%s\",\"parameters\":{\"a\":\"%s\"}}]}";
    assertThat(batch("k3", item.formatted("{a}", "x".repeat(1001))).statusCode())
        .isEqualTo(400);
    HttpResponse<String> many = batch("k3", item.formatted("{a}".repeat(600), "x".repeat(1000)));
    assertThat(NodeFixture.json(many).getJsonArray("results").getJsonObject(0).getString("reason"))
        .isEqualTo("the path is longer than 8000 characters");
    HttpResponse<String> fragment = batch("k3", item.formatted("x#y", "b"));
    assertThat(NodeFixture.json(fragment)
            .getJsonArray("results")
            .getJsonObject(0)
            .getJsonObject("body")
            .getString("code"))
        .isEqualTo("path_ambiguous");
  }

  @Test
  void aCallerThatReadsNoAnswersIsNotAnsweredAnyMore() throws IOException {
    Socket socket = node.connect();
    sockets.add(socket);
    socket.setReceiveBufferSize(4096);
    String requests = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
    socket.setSoTimeout(100);
    Thread writer = new Thread(() -> {
      try {
        for (int i = 0; i < 200; i++) {
          NodeFixture.write(socket, requests);
        }
      } catch (UncheckedIOException e) {
        // Closed at the end of the test.
      }
    });
    writer.setDaemon(true);
    writer.start();
    othersAreServed();
    // Until no more are answered: otherwise two hundred thousand, more than a gigabyte of them.
    double[] before = {-1};
    await().pollInterval(Duration.ofMillis(500)).atMost(Duration.ofMinutes(1)).until(() -> {
      double now = answered();
      boolean isOver = now - before[0] < 100;
      before[0] = now;
      return isOver;
    });
    assertThat(before[0]).isLessThan(50_000);
  }

  private static double answered() {
    return node.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("http_server_requests_seconds_count{code=\"200\"}"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"", "\"\\", "retry-ticket;", ","})
  void aLongPreferenceIsHarmless(String repeated) {
    String header = repeated + (repeated.equals(",") ? "," : "a").repeat(3000);
    assertThat(node.get("/echo/x", "X-Api-Key", TestPolicies.key("k3"), "Prefer", "\"" + header)
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aCostCannotBeForged() {
    String files = "POST /files HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + TestPolicies.key("k5")
        + "\r\nContent-Length: 0\r\n";
    assertThat(node.raw(files + "X-Cost: 1\r\nConnection: close, X-Cost\r\n\r\n"))
        .contains(" 400 ", "cost_invalid");
    assertThat(node.get("/query?x=;n=1", "X-Api-Key", TestPolicies.key("k5")).statusCode())
        .isEqualTo(400);
    assertThat(
            node.get("/query?n=1&x=;n=5", "X-Api-Key", TestPolicies.key("k5")).statusCode())
        .isEqualTo(400);
    for (String body : List.of(
        "{\"gas\":{\"limit\":1,\"limit\":5}}", "{\"gas\":{\"limit\":1},\"gas\":{\"limit\":5}}")) {
      assertThat(node.post("/gas", body, "X-Api-Key", TestPolicies.key("k5")).statusCode())
          .isEqualTo(400);
    }
    HttpResponse<String> check = node.post(
        "/v1/check",
        "{\"key\":\"%s\",\"operation\":\"Files\",\"cost\":1,\"cost\":5}"
            .formatted(TestPolicies.key("k5")));
    assertThat(check.statusCode()).isEqualTo(400);
  }

  private void othersAreServed() {
    for (int i = 0; i < 50; i++) {
      assertThat(node.get("/echo/x", "X-Api-Key", TestPolicies.key("k3")).statusCode())
          .isEqualTo(200);
    }
  }

  private List<Socket> open(String request) {
    return open(request, MANY);
  }

  private List<Socket> open(String request, int count) {
    for (int i = 0; i < count; i++) {
      Socket socket = node.connect();
      sockets.add(socket);
      NodeFixture.write(socket, request);
    }
    // Time enough for all to be seen: a request behind them on each event loop.
    await().atMost(Duration.ofMinutes(1)).until(() -> node.get("/health/live").statusCode() == 200);
    return sockets;
  }

  private static HttpResponse<String> batch(String key, String body) {
    return node.post("/v1/batch", body, "X-Api-Key", TestPolicies.key(key));
  }
}
