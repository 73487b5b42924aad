package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes of the release before and of this build on one Redis, upgraded and downgraded one by one: no request fails, no
 * limit is passed, nothing that is used, held or awaited is forgotten.
 */
@Tag("upgrade")
final class UpgradeIT {
  private static final int CAPACITY = 864; // a day of 10 operations in 1000 s
  private static final int QUOTA = 40;
  private static final int PAID_EACH = 10;
  private static final String ADMIN = "admin-token-of-the-tests";
  private static final Duration SOON = Duration.ofMinutes(1);

  private static String older;

  @TempDir
  private Path folder;

  private final List<NodeProcess> nodes = new ArrayList<>();
  private long begun;
  private RedisProcess redis;
  private HttpServer upstream;
  private Path policy;

  @BeforeAll
  static void build() {
    older = Baseline.jar();
  }

  @BeforeEach
  void start() throws IOException {
    begun = System.nanoTime();
    redis = RedisProcess.start();
    upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    upstream.start();
    policy = folder.resolve("policy.yaml");
    Files.writeString(policy, policy(""));
  }

  @AfterEach
  void end() {
    nodes.forEach(NodeProcess::close);
    upstream.stop(0);
    redis.close();
  }

  private String policy(String more) {
    return """
        description: "%s"
        upstream: { url: "http://127.0.0.1:%d" }
        operations:
          - { name: Report, match: { method: POST, path: /report }, mode: job, job: { dispatchPerSecond: 100 } }
        buckets:
          - { name: day, burstPeriod: 86400, throttleGroups: [{ milliOpsPerSec: 10, operations: [Ask, Reserve] }] }
          - { name: wait, burstPeriod: 16, throttleGroups: [{ milliOpsPerSec: 250, operations: [Wait] }] }
          - { name: jobs, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Report] }] }
          - { name: paid, burstPeriod: 1, throttleGroups: [{ opsPerSec: 1000, operations: [Pay] }] }
        quotas:
          - { name: month, scope: key, limit: %d, period: month, operations: [Pay] }
        windows:
          blocks: { width: 10, lease: 10m }
        subjects:
          k1: { tenant: acme, secretHash: "%s" }
          k2: { tenant: acme }
          k3: { tenant: acme }
        """.formatted(
            more, upstream.getAddress().getPort(), QUOTA, SecretHash.of("s1").formatted());
  }

  private NodeProcess node(String classPath) throws Exception {
    List<Integer> ports = FreePorts.some(2);
    Map<String, String> environment = Map.of(
        "WEIR_REDIS_URI",
        redis.uri(),
        "WEIR_POLICY",
        policy.toString(),
        "WEIR_SERVICE_TOKEN",
        TestNodes.SERVICE_TOKEN,
        "WEIR_ADMIN_TOKEN",
        ADMIN,
        // No outage is tested: a machine with much other work must not look like one.
        "WEIR_REDIS_TIMEOUT_MS",
        "10000",
        "WEIR_EVENT_LOOPS",
        "1");
    NodeProcess node = NodeProcess.start(
        classPath,
        ports.get(0),
        ports.get(1),
        environment,
        folder.resolve("node-" + ports.get(0) + ".log"),
        NodeProcess.Archiving.OFF);
    nodes.add(node);
    node.awaitReady();
    return node;
  }

  private static String newer() {
    return System.getProperty("java.class.path");
  }

  @Test
  void nodesAreUpgradedOneByOne() throws Exception {
    changeOver(older, newer());
  }

  @Test
  void nodesAreDowngradedOneByOne() throws Exception {
    changeOver(newer(), older);
  }

  // Two nodes of a release, then two of each; one of each is killed, the others are replaced.
  private void changeOver(String from, String to) throws Exception {
    NodeProcess first = node(from);
    NodeProcess second = node(from);
    UpgradeCalls calls = UpgradeCalls.of(TestNodes.SERVICE_TOKEN, ADMIN);
    UpgradeLoad load = UpgradeLoad.start(calls, "k1", "Ask", first, second);
    try (load) {
      Held held = heldAt(calls, first);
      NodeProcess third = node(to);
      NodeProcess fourth = node(to);
      load.use(first, second, third, fourth);
      endAt(calls, third, held);
      ticketsAreGoodAt(calls, first, third);
      ticketsAreGoodAt(calls, fourth, second);
      goesBothWays(calls, first, third);
      goesBothWays(calls, fourth, second);
      HttpResponse<String> changed = calls.operator(fourth, "PUT", "/v1/policy", policy("second"));
      assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
      await().atMost(SOON).until(() -> calls.revision(first) == 2 && calls.revision(third) == 2);
      first.kill();
      third.kill();
      load.use(second, fourth);
      NodeProcess fifth = node(to);
      load.use(fourth, fifth);
      second.stop();
      nothingIsForgotten(calls, load, fourth, fifth);
    }
  }

  private void nothingIsForgotten(
      UpgradeCalls calls, UpgradeLoad load, NodeProcess one, NodeProcess other) {
    load.close();
    assertThat(load.failures()).isEmpty();
    int passed = load.admitted() + allowed(calls, "k1", "Ask", one, other);
    System.out.printf(
        "upgrade: %d requests, none failed, %d unanswered of killed nodes; %d of %d admitted%n",
        load.sent(), load.unanswered(), passed, CAPACITY);
    assertThat(load.sent()).isGreaterThan(100);
    // The bucket drains one operation in 100 s.
    long drained = Duration.ofNanos(System.nanoTime() - begun).toSeconds() / 100 + 1;
    assertThat((long) passed).isBetween((long) CAPACITY - load.unanswered(), CAPACITY + drained);
    assertThat(allowed(calls, "k2", "Pay", one, other)).isEqualTo(QUOTA - 2 * PAID_EACH);
  }

  private static int allowed(
      UpgradeCalls calls, String subject, String operation, NodeProcess one, NodeProcess other) {
    int count = 0;
    while (calls.isAllowed(count % 2 == 0 ? one : other, subject, operation)) {
      count++;
    }
    return count;
  }

  /** Things that services and callers hold at a node of one release. */
  private record Held(String reservation, String job, String claim, String key) {}

  private static Held heldAt(UpgradeCalls calls, NodeProcess node) {
    calls.window(node, "open", new JsonObject().put("from", 1).put("to", 1));
    return new Held(
        calls.reserve(node, "k2", "Reserve", 5),
        calls.submit(node, "k1.s1", "/report"),
        calls.window(node, "claim", new JsonObject()).getString("claim"),
        calls.createKey(node, "held"));
  }

  private static void endAt(UpgradeCalls calls, NodeProcess node, Held held) {
    assertThat(calls.end(node, held.reservation(), "settle", 2)).isEqualTo("settled");
    await().atMost(SOON).until(() -> calls.status(node, "k1.s1", held.job()) == 200);
    JsonObject finish = new JsonObject().put("from", 1).put("claim", held.claim());
    assertThat(calls.window(node, "finish", finish).getString("state")).isEqualTo("committed");
    assertThat(calls.keyStatus(node, held.key())).isEqualTo(200);
  }

  // The bucket is full and drains one operation in four seconds: two callers wait.
  private static void ticketsAreGoodAt(UpgradeCalls calls, NodeProcess one, NodeProcess other) {
    JsonObject wanted = new JsonObject().put("ticket", true);
    allowed(calls, "k3", "Wait", one, other);
    String next = calls.check(one, "k3", "Wait", wanted).getString("ticket");
    String last = calls.check(one, "k3", "Wait", wanted).getString("ticket");
    for (String ticket : List.of(next, last)) {
      UpgradeCalls.awaitSlot(ticket);
      JsonObject shown = new JsonObject().put("ticket", ticket);
      assertThat(calls.check(other, "k3", "Wait", shown).getString("decision"))
          .isEqualTo("allowed");
    }
  }

  // Begun at one release, used, changed and ended at the other.
  private void goesBothWays(UpgradeCalls calls, NodeProcess one, NodeProcess other) {
    for (int i = 0; i < PAID_EACH; i++) {
      assertThat(calls.isAllowed(i % 2 == 0 ? one : other, "k2", "Pay")).isTrue();
    }
    String id = "both-" + nodes.indexOf(one);
    String key = calls.createKey(one, id);
    await().atMost(SOON).until(() -> calls.keyStatus(other, key) == 200);
    HttpResponse<String> deleted = calls.operator(other, "DELETE", "/v1/keys/" + id, "");
    assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(204);
    await().atMost(SOON).until(() -> calls.keyStatus(one, key) == 401);
    String reservation = calls.reserve(other, "k2", "Reserve", 5);
    assertThat(calls.end(one, reservation, "cancel", 0)).isEqualTo("cancelled");
  }
}
