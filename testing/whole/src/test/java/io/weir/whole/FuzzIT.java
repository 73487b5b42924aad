package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Randomly changed requests for all doors: none is answered with 500, and the node serves on. {@code
 * -Dweir.fuzz.requests} sets their number for each of the seeds.
 */
@Tag("isolation")
final class FuzzIT {
  private static final int REQUESTS = Integer.getInteger("weir.fuzz.requests", 1000);
  private static final int AT_ONCE = 50;
  // Of a round of requests, some may wait for more input; the node has this time for the others.
  private static final long ROUND_NANOS = 400_000_000;
  private static final int ANSWER_MILLIS = 10_000;
  private static final List<String> REQUEST_LINES = List.of(
      "GET /ping",
      "GET /echo/x?a=b;c&d",
      "HEAD /echo/x",
      "DELETE /echo/%41/b",
      "OPTIONS /echo/x",
      "POST /files",
      "GET /query?n=1",
      "POST /gas",
      "GET /free/x",
      "POST /v1/check",
      "POST /v1/batch",
      "GET /v1/policy",
      "PUT /v1/policy",
      "GET /health/ready",
      "GET /metrics",
      "GET /openapi.json");
  private static final List<String> BODIES = List.of(
      "",
      "{\"gas\":{\"limit\":1}}",
      "{\"key\":\"k2.secret-of-k2\",\"operation\":\"Ping\",\"cost\":1,\"ticket\":true}",
      "{\"items\":[{\"method\":\"GET\",\"path\":\"/echo/{a}\",\"parameters\":{\"a\":\"b\"},\"body\":{\"from\":0,\"path\":\"\"}}]}");
  private static final List<String> WORDS = List.of(
      "\r\n",
      "\r\n\r\n",
      "\0",
      ":",
      " ",
      "%",
      "%2e",
      "..",
      "//",
      ";",
      "\"",
      "\\",
      "{",
      "}",
      "[",
      ",",
      "1e999",
      "-1",
      "99999999999999999999",
      "Content-Length: 5\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Host: y\r\n",
      "Expect: 100-continue\r\n",
      "Connection: X-Cost, close\r\n",
      "Prefer: \"a\\\r\n",
      "Retry-Ticket: 1.2\r\n",
      "Retry-Ticket: 9999999999999999.1.0.00000000000000000000\r\n",
      "X-Cost: 3\r\n",
      "\u00e9",
      "HTTP/1.0",
      "HTTP/2.0");

  @AutoClose
  private static final NodeFixture node = new NodeFixture(TestPolicies.slow(), FailureMode.DENY);

  private final AtomicInteger answered = new AtomicInteger();

  static Stream<Long> seeds() {
    return Stream.of(1L, 20_261_122L);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noRequestIsAFaultOfTheNode(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < REQUESTS; i += AT_ONCE) {
      List<String> requests =
          Stream.generate(() -> changed(request(random), random)).limit(AT_ONCE).toList();
      List<String> answers = sendAll(requests);
      for (int j = 0; j < AT_ONCE; j++) {
        assertThat(answers.get(j))
            .as("request %d of seed %d: %s", i + j, seed, requests.get(j))
            .doesNotContain("HTTP/1.1 500", "HTTP/1.0 500");
      }
    }
    // Most changes leave a request that has an answer.
    assertThat(answered.get()).isGreaterThan(REQUESTS / 2);
    assertThat(node.get("/echo/x", "X-Api-Key", TestPolicies.key("k2")).statusCode())
        .isEqualTo(200);
    await().atMost(Duration.ofMinutes(1)).until(() -> openConnections() <= 2);
  }

  @Test
  void withoutAChangeRequestsAreAnswered() throws IOException {
    Random random = new Random(7);
    int requests = 200;
    for (int i = 0; i < requests; i++) {
      try (Socket socket = node.connect()) {
        NodeFixture.write(socket, request(random));
        answer(socket, ANSWER_MILLIS);
      }
    }
    assertThat(answered.get()).isEqualTo(requests);
  }

  private static String request(Random random) {
    String line = any(REQUEST_LINES, random);
    String body = line.startsWith("P") ? any(BODIES, random) : "";
    boolean isChunked = !body.isEmpty() && random.nextInt(4) == 0;
    String framing = body.isEmpty()
        ? ""
        : isChunked
            ? "Transfer-Encoding: chunked\r\n"
            : "Content-Length: %d\r\n".formatted(body.length());
    String sent = isChunked ? "%x\r\n%s\r\n0\r\n\r\n".formatted(body.length(), body) : body;
    String key = random.nextInt(8) == 0 ? "k1.wrong" : TestPolicies.key("k2");
    return line + " HTTP/1.1\r\nHost: x\r\nX-Api-Key: " + key
        + "\r\nAuthorization: Bearer "
        + any(List.of(NodeFixture.ADMIN, NodeFixture.SERVICE), random)
        + "\r\n" + framing + "\r\n" + sent;
  }

  private static String changed(String request, Random random) {
    StringBuilder text = new StringBuilder(request);
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(5)) {
        case 0 -> text.setCharAt(at, (char) random.nextInt(256));
        case 1 -> text.deleteCharAt(at);
        case 2 -> text.insert(at, any(WORDS, random));
        case 3 -> {
          int end = Math.min(text.length(), at + 1 + random.nextInt(30));
          text.insert(at, text.substring(at, end).repeat(1 + random.nextInt(3)));
        }
        default -> text.insert(at, String.valueOf(text.charAt(at)).repeat(random.nextInt(2000)));
      }
    }
    return text.toString();
  }

  private static <T> T any(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  // If the node still waits for input, the end of the connection ends that.
  private List<String> sendAll(List<String> requests) throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (String request : requests) {
        Socket socket = node.connect();
        sockets.add(socket);
        NodeFixture.write(socket, request);
      }
      long end = System.nanoTime() + ROUND_NANOS;
      List<String> answers = new ArrayList<>();
      for (Socket socket : sockets) {
        long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        answers.add(answer(socket, (int) Math.max(1, millis)));
      }
      return answers;
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private String answer(Socket socket, int timeoutMillis) throws IOException {
    socket.setSoTimeout(timeoutMillis);
    String answer = first(socket.getInputStream());
    if (!answer.isEmpty()) {
      answered.incrementAndGet();
    }
    return answer;
  }

  private static String first(InputStream in) {
    byte[] bytes = new byte[16 << 10];
    try {
      int count = in.read(bytes);
      return new String(bytes, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // the node closed it, or waits for more
    }
  }

  private static int openConnections() {
    return node.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("http_server_connections"))
        .flatMapToInt(line ->
            IntStream.of((int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))))
        .sum();
  }
}
