package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.RedisDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes share the keys at two private providers and a public one. {@code -Dweir.sends=10000} makes the test long
 * and also checks the rate, which is lower on a busy machine.
 */
@Tag("faults")
final class ProvidersClusterIT {
  private static final int SENDS = Integer.getInteger("weir.sends", 400);
  private static final boolean IS_LONG = SENDS >= 5000;
  private static final int CALLERS = 24;
  private static final long INTERVAL_MILLIS = 100;
  private static final int KEYS = 5;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, ConcurrentLinkedQueue<Long>> sent = new ConcurrentHashMap<>();
  private final Vertx vertx = Vertx.vertx();

  private int provider(String name) throws Exception {
    return vertx
        .createHttpServer()
        .requestHandler(request -> serve(name, request))
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .get()
        .actualPort();
  }

  private void serve(String name, HttpServerRequest request) {
    String key = request.headers().contains("X-Key-2")
        ? "2"
        : request.headers().contains("X-Key-1") ? "1" : "-";
    sent.computeIfAbsent(name + "/" + key, one -> new ConcurrentLinkedQueue<>())
        .add(System.nanoTime());
    request.response().end();
  }

  @Test
  void allNodesTogetherUseEachKeyOnceInItsInterval(@TempDir Path folder) throws Exception {
    Path policy = folder.resolve("policy.yaml");
    String keys =
        "keys: [{ name: k1, variable: PATH, header: X-Key-1 }, { name: k2, variable: PATH, header: X-Key-2 }]";
    Files.writeString(policy, """
        operations:
          - { name: Ask, match: { method: GET, path: /ask }, upstream: rpc }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10000, operations: [Ask] }] }
        upstreams:
          rpc:
            maxInflight: 1000
            maxQueue: 1000
            providers:
              - { name: a, url: "http://127.0.0.1:%d", weight: 5, keyInterval: 100ms, %s }
              - { name: b, url: "http://127.0.0.1:%d", weight: 5, keyInterval: 100ms, %s }
              - { name: public, url: "http://127.0.0.1:%d", tier: 1, keyInterval: 100ms }
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
        """.formatted(
            provider("a"),
            keys,
            provider("b"),
            keys,
            provider("public"),
            SecretHash.of("secret-of-k1").formatted()));
    List<NodeProcess> nodes = new ArrayList<>();
    try (RedisDatabase redis = RedisDatabase.open()) {
      nodes.addAll(TestNodes.start(3, folder, redis.uri(), policy, 2));
      ask(nodes, CALLERS * 3); // warms up classes and connections
      sent.clear();
      long began = System.nanoTime();
      ask(nodes, SENDS);
      judge((System.nanoTime() - began) / 1e9);
    } finally {
      nodes.forEach(NodeProcess::close);
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private void judge(double seconds) {
    long shortest = Long.MAX_VALUE;
    int early = 0;
    for (Map.Entry<String, ConcurrentLinkedQueue<Long>> key : sent.entrySet()) {
      long[] times = key.getValue().stream().mapToLong(Long::longValue).sorted().toArray();
      for (int i = 1; i < times.length; i++) {
        long gap = TimeUnit.NANOSECONDS.toMicros(times[i] - times[i - 1]);
        shortest = Math.min(shortest, gap);
        early += gap < INTERVAL_MILLIS * 900 ? 1 : 0;
      }
      // Never more than the key's limit, except for the first request and the network's jitter.
      assertThat(times.length)
          .as(key.getKey())
          .isLessThanOrEqualTo((int) (seconds * 1000 / INTERVAL_MILLIS) + 3);
    }
    assertThat(sent).hasSize(KEYS);
    double rate = SENDS / seconds;
    System.out.printf(
        "%d sends by %d keys: %.1f of %.1f a second, shortest gap %.1f ms, %d below 90 ms%n",
        SENDS, KEYS, rate, KEYS * 1000.0 / INTERVAL_MILLIS, shortest / 1000.0, early);
    if (IS_LONG) {
      assertThat(rate).isGreaterThan(0.95 * KEYS * 1000 / INTERVAL_MILLIS);
    }
  }

  private void ask(List<NodeProcess> nodes, int count) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    AtomicInteger left = new AtomicInteger(count);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        URI uri = URI.create(nodes.get(caller % nodes.size()).url() + "/ask");
        all.add(threads.submit(() -> {
          while (left.getAndDecrement() > 0) {
            HttpRequest request = HttpRequest.newBuilder(uri)
                .header("X-Api-Key", "k1.secret-of-k1")
                .timeout(Duration.ofSeconds(30))
                .build();
            assertThat(
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
                .isEqualTo(200);
          }
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
