package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisDatabase;
import io.weir.whole.cluster.FaultyProvider.Fault;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes and three providers, of which one fails in every possible way; and a node that is killed. {@code
 * -Dweir.fault.seconds=30} makes each fault longer.
 */
@Tag("faults")
final class ProvidersFaultsIT {
  private static final int SECONDS = Integer.getInteger("weir.fault.seconds", 3);
  private static final int CALLS_A_SECOND = 60;
  private static final long OPEN_MILLIS = 2000;
  private static final Pattern ATTEMPTS =
      Pattern.compile("throttle_upstream_attempts_total\\{[^}]*} (\\d+)");

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Vertx vertx = Vertx.vertx();
  private final List<FaultyProvider> providers = new ArrayList<>();
  private List<NodeProcess> nodes = List.of();
  private RedisDatabase redis;
  private Path folder;

  @BeforeEach
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    redis = RedisDatabase.open();
    for (int i = 0; i < 3; i++) {
      providers.add(new FaultyProvider(vertx));
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(NodeProcess::close);
    redis.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void startNodes(String upstream) throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), """
        operations:
          - { name: Ask, match: { method: GET, path: /ask }, upstream: rpc }
          - { name: Wait, match: { method: GET, path: /wait }, upstream: rpc, group: heavy }
        buckets:
          - { name: many, burstPeriod: 10, throttleGroups: [{ opsPerSec: 10000, operations: [Ask, Wait] }] }
        upstreams:
          rpc:
        %s
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
          k2: { tenant: globex, secretHash: "%s" }
        """.formatted(
            upstream.indent(4),
            SecretHash.of("secret-of-k1").formatted(),
            SecretHash.of("secret-of-k2").formatted()));
    nodes = TestNodes.start(3, folder, redis.uri(), policy, 1);
  }

  private CompletableFuture<HttpResponse<String>> ask(int node) {
    return ask(node, "/ask", "k1");
  }

  private CompletableFuture<HttpResponse<String>> ask(int node, String path, String key) {
    HttpRequest request = HttpRequest.newBuilder(
            URI.create(nodes.get(node % nodes.size()).url() + path))
        .header("X-Api-Key", "%s.secret-of-%s".formatted(key, key))
        .timeout(Duration.ofSeconds(30))
        .build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  /** The results of some calls. */
  private record Calls(int count, int fine, double attempts, int atFaulty) {}

  private Calls ask(int first, int count) throws Exception {
    long attemptsBefore = attempts();
    int before = providers.get(0).asked.get();
    AtomicInteger fine = new AtomicInteger();
    List<CompletableFuture<?>> all = new ArrayList<>();
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      RealTime.pass(Duration.ofNanos(
          began + TimeUnit.SECONDS.toNanos(i) / CALLS_A_SECOND - System.nanoTime()));
      all.add(ask(first + i)
          .handle((answer, error) ->
              error == null && answer.statusCode() == 200 ? fine.incrementAndGet() : 0));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();
    return new Calls(
        count,
        fine.get(),
        (double) (attempts() - attemptsBefore) / count,
        providers.get(0).asked.get() - before);
  }

  private long attempts() throws Exception {
    long sum = 0;
    for (NodeProcess node : nodes) {
      HttpResponse<String> metrics = client.send(
          HttpRequest.newBuilder(URI.create(node.adminUrl() + "/metrics")).build(),
          BodyHandlers.ofString());
      Matcher found = ATTEMPTS.matcher(metrics.body());
      while (found.find()) {
        sum += Long.parseLong(found.group(1));
      }
    }
    return sum;
  }

  @Test
  void whateverAProviderDoesTheOthersGoOn() throws Exception {
    startNodes("""
        maxInflight: 60
        timeoutMs: 2000
        connectTimeoutMs: 500
        selection: weights
        retry: { attempts: 3, initial: 10ms }
        breaker: { failures: 50, calls: 5, window: %ds, open: %dms }
        providers:
          - { name: a, url: "http://127.0.0.1:%d", keyInterval: 20ms }
          - { name: b, url: "http://127.0.0.1:%d", keyInterval: 20ms }
          - { name: c, url: "http://127.0.0.1:%d", keyInterval: 20ms }""".formatted(
            Math.min(10, SECONDS), // a short fault must outweigh the successes before it
            OPEN_MILLIS,
            providers.get(0).port(),
            providers.get(1).port(),
            providers.get(2).port()));
    ask(0, 2 * CALLS_A_SECOND); // warms up classes and connections
    for (Fault fault : Fault.values()) {
      providers.get(0).fails(fault);
      Calls calls = ask(0, SECONDS * CALLS_A_SECOND);
      int begunBad = providers.get(0).asked.get();
      Calls open = ask(0, CALLS_A_SECOND);
      providers.get(0).fails(Fault.NONE);
      long recovered = recovery();
      System.out.printf(
          Locale.ROOT,
          "%-7s of %d calls %d fine, %.3f attempts each; of %d a second later %d fine, %d at the one that fails;"
              + " well again after %d ms%n",
          fault,
          calls.count(),
          calls.fine(),
          calls.attempts(),
          open.count(),
          open.fine(),
          providers.get(0).asked.get() < begunBad ? 0 : open.atFaulty(),
          recovered);
      judge(fault, calls, open);
    }
  }

  private void judge(Fault fault, Calls calls, Calls open) {
    // A slow provider is noticed after two seconds: by then more requests hang than the retry
    // budget allows. A broken streamed answer is lost, until the breaker opens.
    double lost = switch (fault) {
      case RESETS -> 0.2;
      case SLOW -> SECONDS < 20 ? 0.25 : 0.05;
      case FLAPS -> 0.1;
      default -> 0.05;
    };
    assertThat(calls.fine()).as(fault.name()).isGreaterThanOrEqualTo((int)
        (calls.count() * (1 - lost)));
    // A fifth, plus the earlier savings of each event loop: twenty at most.
    double most = 1.2 + 20.0 * nodes.size() / calls.count();
    assertThat(calls.attempts()).as(fault.name()).isBetween(0.99, most);
    if (fault == Fault.NONE) {
      assertThat(open.atFaulty()).isGreaterThan(open.count() / 5);
    } else if (fault != Fault.FLAPS) {
      // The breaker is open: one probe of the whole cluster every two seconds.
      assertThat(open.atFaulty()).as(fault.name()).isLessThanOrEqualTo(2);
      assertThat(open.fine()).as(fault.name()).isGreaterThanOrEqualTo(open.count() - 2);
    }
  }

  /** The time until it gets its share again. */
  private long recovery() throws Exception {
    long began = System.nanoTime();
    for (int i = 0; i < 60; i++) {
      if (ask(0, CALLS_A_SECOND / 3).atFaulty() >= CALLS_A_SECOND / 3 / 5) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      }
    }
    throw new IllegalStateException("it never gets its share again");
  }

  @Test
  void sharesAreAsTheWeights() throws Exception {
    startNodes("""
        maxInflight: 500
        selection: weights
        providers:
          - { name: a, url: "http://127.0.0.1:%d", weight: 5 }
          - { name: b, url: "http://127.0.0.1:%d", weight: 3 }
          - { name: c, url: "http://127.0.0.1:%d", weight: 2 }""".formatted(
            providers.get(0).port(), providers.get(1).port(), providers.get(2).port()));
    int calls = 1000;
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      all.add(ask(i));
      if (i % 50 == 49) {
        all.get(i - 25).get();
      }
    }
    for (CompletableFuture<HttpResponse<String>> one : all) {
      assertThat(one.get().statusCode()).as(one.get().body()).isEqualTo(200);
    }
    int[] shares = providers.stream().mapToInt(one -> one.asked.get()).toArray();
    System.out.println("weights 5, 3, 2 of 1000 calls: " + Arrays.toString(shares));
    assertThat(shares[0]).isBetween(475, 525);
    assertThat(shares[1]).isBetween(285, 315);
    assertThat(shares[2]).isBetween(190, 210);
  }

  @Test
  void requestsOfAKilledNodeAreFreeAfterTheLeaseAndOthersSeeNothing() throws Exception {
    startNodes("""
        maxInflight: 150
        maxQueue: 200
        lease: 2s
        breaker: { calls: 1000 }
        providers:
          - { name: hangs, url: "http://127.0.0.1:%d", maxInflight: 100, groups: [heavy] }
          - { name: fine, url: "http://127.0.0.1:%d", groups: [default] }""".formatted(providers.get(0).port(), providers.get(1).port()));
    providers.get(0).fails(Fault.SLOW);
    ConcurrentMap<String, Integer> ofKilled = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> hanging = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      hanging.add(ask(0, "/wait", i % 2 == 0 ? "k1" : "k2")
          .handle((answer, error) -> ofKilled.merge(
              error == null ? Integer.toString(answer.statusCode()) : "broken", 1, Integer::sum)));
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> providers.get(0).asked.get() >= 100);
    RealTime.pass(Duration.ofMillis(200)); // the others wait in the queue
    assertThat(providers.get(0).asked.get()).isEqualTo(100);
    nodes.get(0).kill();
    long killed = System.nanoTime();
    providers.get(0).fails(Fault.NONE);
    CompletableFuture<Long> free = ask(1, "/wait", "k1").thenApply(answer -> {
      assertThat(answer.statusCode()).isEqualTo(200);
      return System.nanoTime() - killed;
    });
    int failed = 0;
    long slowest = 0;
    int asked = 0;
    while (!free.isDone()) {
      long began = System.nanoTime();
      failed += ask(1 + asked % 2).get().statusCode() == 200 ? 0 : 1;
      asked++;
      slowest = Math.max(slowest, System.nanoTime() - began);
    }
    CompletableFuture.allOf(hanging.toArray(CompletableFuture[]::new)).get();
    System.out.printf(
        Locale.ROOT,
        "killed with 100 under way: %s; free after %d ms; %d calls at other nodes, %d failed, slowest %d ms%n",
        ofKilled,
        TimeUnit.NANOSECONDS.toMillis(free.get()),
        asked,
        failed,
        TimeUnit.NANOSECONDS.toMillis(slowest));
    assertThat(failed).isZero();
    assertThat(asked).isGreaterThan(1); // the full ones do not block others
    assertThat(free.get()).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1000));
    assertThat(ofKilled).isEqualTo(Map.of("broken", 150));
  }
}
