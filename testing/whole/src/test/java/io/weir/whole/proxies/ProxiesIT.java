package io.weir.whole.proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import io.weir.testkit.FaultProxy;
import io.weir.whole.proxies.ProxyProcess.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The configurations of {@code deploy/proxies}, in the real proxies, before a service that does not know Weir. */
@Tag("proxies")
final class ProxiesIT {
  // Slow, so that nothing drains during a test: 720 operations, and then one in 5 s.
  private static final String POLICY = """
      operations:
        - { name: Orders, match: { path: "/orders/**" } }
        - { name: Big, match: { path: /big } }
        - { name: Free, match: { path: "/free/**" }, unlimited: true }
        - { name: Stream, match: { path: /stream } }
        - { name: Open, match: { path: /open }, unlimited: true }
      buckets:
        - { name: calls, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 200, operations: [Orders] }] }
        - { name: big, burstPeriod: 3600, throttleGroups: [{ milliOpsPerSec: 1, operations: [Big] }] }
      permits: [{ name: streams, limit: 3, operations: [Stream] }]
      upstream: { url: "http://127.0.0.1:UPSTREAM" }
      identity: { proxies: [127.0.0.1], anonymous: { tenant: public } }
      subjects:
      """
      + TestPolicies.subject("k1", "")
      + TestPolicies.subject("k2", "")
      + TestPolicies.subject("frozen", ", frozen: true");
  private static final int CALLERS = 64;
  private static final int CALLS = 900;
  private static final int LIMIT = 720;

  @TempDir
  private Path directory;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<AutoCloseable> open = new ArrayList<>();
  private NodeFixture node;
  private FaultProxy network;

  @BeforeEach
  void start() {
    node = new NodeFixture(POLICY, FailureMode.DENY);
    open.add(node);
    network = FaultProxy.before(node.uri("/").getPort());
    open.add(network);
    for (String path : List.of("/orders/1", "/big", "/free/x", "/stream", "/open")) {
      node.upstreamAnswers(
          path,
          request -> request
              .body()
              .onSuccess(body -> request
                  .response()
                  .end("%s %s %s %s"
                      .formatted(
                          request.method(),
                          callers(request),
                          request.getHeader("Upgrade"),
                          body))));
    }
  }

  // All that a service may take for the names of the caller and of its tenant.
  private static String callers(HttpServerRequest request) {
    return request.headers().entries().stream()
        .filter(header ->
            header.getKey().toLowerCase(Locale.ROOT).replace('_', '-').startsWith("x-weir-"))
        .map(Map.Entry::getValue)
        .sorted()
        .collect(Collectors.joining("+"));
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private ProxyProcess before(Kind kind, UnaryOperator<String> edit) throws Exception {
    Path own = Files.createDirectories(directory.resolve(kind.name()));
    ProxyProcess proxy = ProxyProcess.start(kind, own, network.port(), node.upstreamPort(), edit);
    open.add(proxy);
    return proxy;
  }

  // A machine with much other work is not slow.
  private ProxyProcess before(Kind kind) throws Exception {
    return before(
        kind,
        text -> text.replaceAll("(timeout )(500ms|1s)", "$130s")
            .replace("timeout = 1000", "timeout = 30000"));
  }

  private HttpRequest.Builder asking(ProxyProcess proxy, String path, String key) {
    return HttpRequest.newBuilder(proxy.uri(path)).header("X-Api-Key", key);
  }

  private HttpResponse<String> get(ProxyProcess proxy, String path, String key) throws Exception {
    return client.send(asking(proxy, path, key).build(), BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource
  void eachAnswerReachesTheCaller(Kind kind) throws Exception {
    ProxyProcess proxy = before(kind);
    HttpResponse<String> passed = client.send(
        asking(proxy, "/orders/1", TestPolicies.key("k1"))
            .POST(BodyPublishers.ofString("a body"))
            .build(),
        BodyHandlers.ofString());
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body()).isEqualTo("POST acme+k1 null a body");

    for (int i = 0; i < 3; i++) {
      assertThat(get(proxy, "/big", TestPolicies.key("k1")).statusCode()).isEqualTo(200);
    }
    HttpResponse<String> denied = get(proxy, "/big", TestPolicies.key("k1"));
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("Retry-After").map(Integer::parseInt))
        .hasValueSatisfying(wait -> assertThat(wait).isBetween(300, 400));
    HttpResponse<String> ticket = client.send(
        asking(proxy, "/big", TestPolicies.key("k1"))
            .header("Prefer", "retry-ticket")
            .build(),
        BodyHandlers.ofString());
    assertThat(ticket.headers().firstValue("Retry-Ticket").orElse("")).isNotEmpty();
    long seconds = Long.parseLong(ticket.headers().firstValue("Retry-After").orElse("0"));
    assertThat(ticket.headers().firstValue("Retry-After-Ms").map(Long::parseLong))
        .hasValueSatisfying(
            wait -> assertThat(wait).isBetween(seconds * 1000 - 999, seconds * 1000));
    assertThat(ticket.headers().firstValue("Weir-Decision").orElse("")).isNotEmpty();

    HttpResponse<String> unknown = get(proxy, "/orders/1", "nobody.knows-this-key");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.headers().firstValue("WWW-Authenticate").orElse("")).startsWith("Bearer");
    assertThat(get(proxy, "/orders/1", TestPolicies.key("frozen")).statusCode()).isEqualTo(403);
    assertThat(get(proxy, "/stream", TestPolicies.key("k1")).statusCode()).isEqualTo(403);
    assertThat(get(proxy, "/free/x", TestPolicies.key("k1")).body()).startsWith("GET acme+k1");
  }

  @ParameterizedTest
  @EnumSource
  void aCallerCannotChooseAnotherPathByAHeader(Kind kind) throws Exception {
    ProxyProcess proxy = before(kind);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      HttpRequest.Builder request = asking(proxy, "/big", TestPolicies.key("k1"));
      for (String name : List.of("X-Original-URI", "X-Forwarded-Uri", "x-original-uri")) {
        request.setHeader(name, "/free/x");
      }
      statuses.add(client.send(request.build(), BodyHandlers.ofString()).statusCode());
    }
    assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
  }

  @ParameterizedTest
  @EnumSource
  void theServiceLearnsWhoAsksFromWeirAlone(Kind kind) throws Exception {
    ProxyProcess proxy = before(kind);
    assertThat(client.send(spoofing(proxy), BodyHandlers.ofString()).body())
        .isEqualTo("GET acme+k1 null ");
  }

  private HttpRequest spoofing(ProxyProcess proxy) {
    return asking(proxy, "/orders/1", TestPolicies.key("k1"))
        .header("X-Weir-Subject", "admin")
        .header("X-Weir-Tenant", "other")
        .header("X_Weir_Subject", "admin")
        .build();
  }

  @ParameterizedTest
  @EnumSource
  void whenWeirIsGoneOrSlowCallersGet503(Kind kind) throws Exception {
    ProxyProcess proxy = before(kind, text -> text);
    String key = TestPolicies.key("k1");
    network.refuse(true);
    assertThat(get(proxy, "/free/x", key).statusCode()).isEqualTo(503);
    network.heal();
    network.stall(true);
    assertThat(get(proxy, "/free/x", key).statusCode()).isEqualTo(503);
    network.heal();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> get(proxy, "/free/x", key).statusCode() == 200);
  }

  @Test
  void nginxLetsRequestsPassWhileWeirIsGoneIfItIsToldTo() throws Exception {
    String location = Files.readString(Path.of("../../docs/how-to/proxies.md"))
        .split("```nginx", -1)[1]
        .split("```", -1)[0];
    ProxyProcess proxy = before(
        Kind.NGINX,
        text -> text.substring(0, text.indexOf("  # Weir could not decide")) + location + "}\n");
    HttpRequest tooLong = asking(proxy, "/orders/1", "nobody.knows-this-key")
        .header("X-One", "a".repeat(7900))
        .header("X-Two", "a".repeat(7900))
        .header("X-Three", "a".repeat(1500))
        .build();
    assertThat(client.send(tooLong, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
    network.refuse(true);
    HttpResponse<String> passed = client.send(spoofing(proxy), BodyHandlers.ofString());
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body()).isEqualTo("GET  null ");
    assertThat(passed.headers().firstValue("Weir-Degraded")).contains("unasked");
  }

  @ParameterizedTest
  @EnumSource
  void noTunnelPassesWhatIsAskedOfNobody(Kind kind) throws Exception {
    ProxyProcess proxy = before(kind);
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), proxy.uri("/").getPort())) {
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
    ProxyProcess proxy = before(kind);
    List<String> callers = new ArrayList<>();
    for (String address : List.of("192.0.2.1", "192.0.2.2")) {
      HttpRequest request = HttpRequest.newBuilder(proxy.uri("/open"))
          .header("X-Forwarded-For", address)
          .header("Forwarded", "for=" + address)
          .build();
      callers.add(client.send(request, BodyHandlers.ofString()).body());
    }
    assertThat(callers).containsOnly("GET ip:127.0.0.1+public null ");
  }

  @Test
  void allProxiesAndTheGatewayHaveOneLimit() throws Exception {
    List<String> doors = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      doors.add(before(kind).uri("/orders/1").toString());
    }
    doors.add(node.uri("/orders/1").toString());
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
    HttpRequest request = HttpRequest.newBuilder(URI.create(door))
        .header("X-Api-Key", TestPolicies.key("k2"))
        .build();
    return client.sendAsync(request, BodyHandlers.ofString()).thenCompose(answer -> {
      statuses.add(answer.statusCode());
      return calls(door, left - 1, statuses);
    });
  }
}
