package io.weir.providers.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.FailingProvider;
import io.weir.node.testing.FailingProvider.Fault;
import io.weir.node.testing.NodeFixture;
import io.weir.node.testing.TestPolicies;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A fleet of JSON-RPC providers and two inference workers, of which one fails in every way there is: no caller notices
 * it, at any time. {@code -Dweir.fault.seconds=30} makes each fault longer.
 */
@Tag("work")
final class OneDeadProviderIT {
  private static final int SECONDS = Integer.getInteger("weir.fault.seconds", 2);
  private static final long CALL_EVERY_MILLIS = 50;
  private static final String POLICY = """
      operations:
        - { name: Rpc, match: { method: POST, path: /rpc }, upstream: fleet }
        - { name: Chat, match: { method: POST, path: /chat }, upstream: workers }
      buckets:
        - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10000, operations: [Rpc, Chat] }] }
      upstreams:
        fleet:
          jsonRpc: true
          safeJsonRpcMethods: [eth_call, eth_blockNumber]
          retry: { attempts: 3, initial: 5ms, budget: off, attemptTimeout: 1s }
          breaker: { calls: 10, window: 2s, open: 700ms }
          timeoutMs: 10000
          providers:
            - { name: preferred, url: "http://127.0.0.1:%d" }
            - { name: other, url: "http://127.0.0.1:%d", tier: 1 }
      %s
      subjects:
      """;
  private static final String WORKERS = """
        workers:
          selection: weights
          safeToRepeat: true
          retry: { preset: smg, initial: 5ms, attemptTimeout: 1s }
          breaker: { calls: 10, window: 2s, open: 700ms }
          timeoutMs: 10000
          providers:
            - { name: first, url: "http://127.0.0.1:%d" }
            - { name: second, url: "http://127.0.0.1:%d" }
      """;

  private static final Vertx VERTX = Vertx.vertx();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static FailingProvider bad;
  private static NodeFixture fixture;

  private final Queue<CompletableFuture<String>> calls = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void start() {
    bad = new FailingProvider(VERTX);
    FailingProvider fine = new FailingProvider(VERTX);
    String workers = WORKERS.formatted(bad.port(), fine.port());
    fixture = new NodeFixture(
        POLICY.formatted(bad.port(), fine.port(), workers) + TestPolicies.subject("k1", ""),
        FailureMode.DENY);
    for (String path : List.of("/rpc", "/chat")) {
      await().atMost(Duration.ofMinutes(1)).until(() -> call(path).join().equals("200"));
    }
  }

  @AfterAll
  static void stop() {
    fixture.close();
    VERTX.close().toCompletionStage().toCompletableFuture().join();
  }

  private static CompletableFuture<String> call(String path) {
    HttpRequest request = HttpRequest.newBuilder(fixture.uri(path))
        .header("X-Api-Key", TestPolicies.key("k1"))
        .timeout(Duration.ofSeconds(30))
        .POST(BodyPublishers.ofString(
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_call\",\"params\":[]},"
                + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"eth_blockNumber\"}]"))
        .build();
    return CLIENT
        .sendAsync(request, BodyHandlers.ofString())
        .handle((answer, error) -> error != null
            ? error.toString()
            : answer.statusCode() == 200 ? "200" : answer.statusCode() + " " + answer.body());
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void noCallerSeesOneDeadProviderOfTwo(Fault fault) {
    long timer = VERTX.setPeriodic(CALL_EVERY_MILLIS, due -> {
      calls.add(call("/rpc"));
      calls.add(call("/chat"));
    });
    try {
      int before = bad.asked.get();
      // Wait until it gets requests while it is well: attempts that hung before may have opened its
      // breaker once more.
      await().atMost(Duration.ofMinutes(1)).until(() -> bad.asked.get() > before + 10);
      bad.fails(fault);
      awaitCalls(2 * SECONDS * (int) (TimeUnit.SECONDS.toMillis(1) / CALL_EVERY_MILLIS));
      bad.fails(Fault.NONE);
      int then = bad.asked.get();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> bad.asked.get() > then + 20); // a probe, and then its share again
    } finally {
      bad.fails(Fault.NONE);
      VERTX.cancelTimer(timer);
    }
    // A machine that is too busy for its Redis says nothing about providers.
    List<String> answers = calls.stream()
        .map(CompletableFuture::join)
        .filter(answer -> !answer.contains("store_unavailable"))
        .toList();
    assertThat(answers).hasSizeGreaterThan(calls.size() / 2).containsOnly("200");
    if (fault != Fault.REFUSES) {
      assertThat(metrics())
          .containsPattern(
              "throttle_upstream_retries_total\\{operation=\"[^\"]+\",provider=\"first\"");
    }
  }

  private void awaitCalls(int more) {
    int until = calls.size() + more;
    await().atMost(Duration.ofSeconds(60 + 2L * SECONDS)).until(() -> calls.size() >= until);
  }

  private static String metrics() {
    return fixture.get("/metrics").body();
  }
}
