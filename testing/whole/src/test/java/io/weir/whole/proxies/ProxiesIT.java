package io.weir.whole.proxies;

import static io.weir.whole.proxies.ProxyFixture.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.RealTime;
import io.weir.whole.proxies.ProxyProcess.Kind;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The configurations of {@code deploy/proxies}, in the real proxies, before a service that does not know Weir. */
final class ProxiesIT extends ProxyTests {
  private static final int CALLERS = 64;
  private static final int CALLS = 900;
  private static final int LIMIT = 720;

  @ParameterizedTest
  @EnumSource
  void eachAnswerReachesTheCaller(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    HttpResponse<String> passed = fixture.send(fixture
        .asking(proxy, "/orders/1", TestPolicies.key("k1"))
        .POST(BodyPublishers.ofString("a body")));
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body()).isEqualTo("POST acme+k1 null a body");
    assertThat(header(passed, "RateLimit")).startsWith("\"calls\";r=719;t=");
    assertThat(header(passed, "RateLimit-Policy")).isEqualTo("\"calls\";q=720;w=3600");

    for (int i = 0; i < 3; i++) {
      assertThat(fixture.get(proxy, "/big", TestPolicies.key("k1")).statusCode())
          .isEqualTo(200);
    }
    HttpResponse<String> denied = fixture.get(proxy, "/big", TestPolicies.key("k1"));
    assertThat(denied.statusCode()).isEqualTo(429);
    long seconds = Long.parseLong(header(denied, "Retry-After"));
    assertThat(seconds).isBetween(300L, 400L);
    assertThat(Long.parseLong(header(denied, "Retry-After-Ms")))
        .isBetween(seconds * 1000 - 999, seconds * 1000);
    assertThat(header(denied, "RateLimit")).startsWith("\"big\";r=0;t=");
    assertThat(header(denied, "RateLimit-Policy")).isEqualTo("\"big\";q=3;w=3600");
    assertThat(header(denied, "Weir-Decision")).isNotEmpty();
    assertThat(List.of(passed, denied))
        .allMatch(answer -> header(answer, "Weir-Degraded").isEmpty());

    HttpResponse<String> unknown = fixture.get(proxy, "/orders/1", "nobody.knows-this-key");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
    assertThat(fixture.get(proxy, "/orders/1", TestPolicies.key("frozen")).statusCode())
        .isEqualTo(403);
    assertThat(fixture.get(proxy, "/stream", TestPolicies.key("k1")).statusCode())
        .isEqualTo(403);
    assertThat(fixture.get(proxy, "/free/x", TestPolicies.key("k1")).body())
        .startsWith("GET acme+k1");
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatCanNeverPassIsToldFromADenial(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    assertThat(ofCost(proxy, "9")).isEqualTo(422);
    assertThat(ofCost(proxy, "nine")).isEqualTo(400);
    assertThat(ofCost(proxy, "3")).isEqualTo(200);
    assertThat(ofCost(proxy, "1")).isEqualTo(429);
  }

  private int ofCost(ProxyProcess proxy, String cost) throws Exception {
    HttpRequest.Builder request = fixture.asking(proxy, "/big", TestPolicies.key("k1"));
    return fixture.send(request.header("X-Cost", cost)).statusCode();
  }

  @ParameterizedTest
  @EnumSource
  void aDeniedCallerIsAdmittedAtItsSlotByItsTicket(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    String far = header(untilDenied(proxy, "/big"), "Retry-Ticket");
    assertThat(far).isNotEmpty();
    assertThat(header(withTicket(proxy, "/big", far), "Retry-Ticket")).isEqualTo(far);

    HttpResponse<String> denied = untilDenied(proxy, "/soon");
    RealTime.pass(Duration.ofMillis(Long.parseLong(header(denied, "Retry-After-Ms"))));
    assertThat(withTicket(proxy, "/soon", header(denied, "Retry-Ticket")).statusCode())
        .isEqualTo(200);
  }

  // The bucket may drain in between.
  private HttpResponse<String> untilDenied(ProxyProcess proxy, String path) throws Exception {
    HttpRequest.Builder request =
        fixture.asking(proxy, path, TestPolicies.key("k1")).header("Prefer", "retry-ticket");
    HttpResponse<String> answer = fixture.send(request);
    for (int i = 0; i < 100 && answer.statusCode() == 200; i++) {
      answer = fixture.send(request);
    }
    assertThat(answer.statusCode()).isEqualTo(429);
    return answer;
  }

  private HttpResponse<String> withTicket(ProxyProcess proxy, String path, String ticket)
      throws Exception {
    return fixture.send(
        fixture.asking(proxy, path, TestPolicies.key("k1")).header("Retry-Ticket", ticket));
  }

  @ParameterizedTest
  @EnumSource
  void aCallerCannotChooseAnotherPathByAHeader(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      HttpRequest.Builder request = fixture.asking(proxy, "/big", TestPolicies.key("k1"));
      for (String name : List.of("X-Original-URI", "X-Forwarded-Uri", "x-original-uri")) {
        request.setHeader(name, "/free/x");
      }
      statuses.add(fixture.send(request).statusCode());
    }
    assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
  }

  @ParameterizedTest
  @EnumSource
  void theServiceLearnsWhoAsksFromWeirAlone(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    assertThat(fixture.send(fixture.spoofing(proxy)).body()).isEqualTo("GET acme+k1 null ");
  }

  @ParameterizedTest
  @EnumSource
  void manyHeadersEndNoProxy(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    String key = TestPolicies.key("k1");
    for (int headers = 76; headers <= 110; headers++) {
      String many = IntStream.range(0, headers)
          .mapToObj(i -> "X-Many-%d: x\r\n".formatted(i))
          .collect(Collectors.joining());
      try (Socket socket = proxy.connect()) {
        NodeFixture.write(socket, "GET /free/x HTTP/1.0\r\n%s\r\n".formatted(many));
        assertThat(readUntil("\r\n", socket)).startsWith("HTTP/1.");
      }
    }
    assertThat(fixture.get(proxy, "/free/x", key).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource
  void noTunnelPassesWhatIsAskedOfNobody(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    try (Socket socket = proxy.connect()) {
      NodeFixture.write(socket, """
          GET /free/x HTTP/1.1\r
          Host: 127.0.0.1\r
          X-Api-Key: %s\r
          Connection: Upgrade, X-Weir-Subject\r
          Upgrade: h2c\r
          \r
          """.formatted(TestPolicies.key("k1")));
      String expected = kind == Kind.HAPROXY ? " 501 " : "GET acme+k1 null";
      assertThat(readUntil(expected, socket)).contains(expected).doesNotContain("h2c");
    }
  }

  private static String readUntil(String expected, Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    StringBuilder read = new StringBuilder();
    byte[] some = new byte[4096];
    int count = socket.getInputStream().read(some);
    while (count > 0 && read.indexOf(expected) < 0) {
      read.append(new String(some, 0, count, StandardCharsets.ISO_8859_1));
      count = read.indexOf(expected) < 0 ? socket.getInputStream().read(some) : 0;
    }
    return read.toString();
  }

  @ParameterizedTest
  @EnumSource
  void anAddressOfTheCallersOwnWordsCountsForNothing(Kind kind) throws Exception {
    ProxyProcess proxy = fixture.before(kind);
    List<String> callers = new ArrayList<>();
    for (String address : List.of("192.0.2.1", "192.0.2.2")) {
      HttpRequest.Builder request = HttpRequest.newBuilder(proxy.uri("/open"))
          .header("X-Forwarded-For", address)
          .header("Forwarded", "for=" + address);
      callers.add(fixture.send(request).body());
    }
    assertThat(callers).containsOnly("GET ip:127.0.0.1+public null ");
  }

  @Test
  void allProxiesAndTheGatewayHaveOneLimit() throws Exception {
    List<String> doors = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      doors.add(fixture.before(kind).uri("/orders/1").toString());
    }
    doors.add(fixture.node().uri("/orders/1").toString());
    List<CompletableFuture<List<Integer>>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      String door = doors.get(i % doors.size());
      int calls = CALLS / CALLERS + (i < CALLS % CALLERS ? 1 : 0);
      callers.add(calls(door, calls, new ArrayList<>()));
    }
    List<Integer> statuses =
        callers.stream().flatMap(caller -> caller.join().stream()).toList();
    assertThat(statuses).hasSize(CALLS).containsOnly(200, 429);
    long drained = 20; // 100 s
    assertThat(statuses.stream().filter(status -> status == 200).count())
        .isBetween((long) LIMIT, LIMIT + drained);
  }

  private CompletableFuture<List<Integer>> calls(String door, int left, List<Integer> statuses) {
    if (left == 0) {
      return CompletableFuture.completedFuture(statuses);
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(door)).header("X-Api-Key", TestPolicies.key("k2"));
    return fixture.sendAsync(request).thenCompose(answer -> {
      statuses.add(answer.statusCode());
      return calls(door, left - 1, statuses);
    });
  }
}
