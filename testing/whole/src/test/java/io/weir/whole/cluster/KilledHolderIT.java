package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A killed node with permits and reservations: all of them are available again once their leases are over, and never
 * too early.
 */
@Tag("faults")
final class KilledHolderIT {
  private static final int HELD = 1000;
  private static final int KEYS = 20;
  private static final long LEASE_MILLIS = 4000;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void holdsOfADeadNodeAreBackWithinTheLease(@TempDir Path folder) throws Exception {
    Vertx vertx = Vertx.vertx();
    HttpServer upstream = upstream(vertx);
    List<Socket> sockets = new ArrayList<>();
    try (RedisDatabase redis = RedisDatabase.open();
        RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
        NodeProcess dying = start(folder, redis.uri(), policy(folder, upstream.actualPort()));
        NodeProcess living = start(folder, redis.uri(), policy(folder, upstream.actualPort()))) {
      String other = living.url();
      for (int i = 0; i < HELD; i++) {
        sockets.add(ask(URI.create(dying.url()).getPort(), "k" + i % KEYS));
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> connections.sync().zcard("weir:holds") == HELD);
      assertThat(connections.sync().zcard("weir:{72nw}:acme:tenant:permits:streams"))
          .isEqualTo(HELD);
      assertThat(status(other, "k1")).isEqualTo(429);
      dying.kill();
      long killed = System.nanoTime();
      // The limit always holds: while the lease of the last renewal lasts, all of it is taken.
      assertThat(status(other, "k1")).isEqualTo(429);
      await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(100))
          .until(() -> connections.sync().zcard("weir:holds") == 0);
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed);
      System.out.printf(
          "%d holds were back after %d ms, lease %d ms%n", HELD, millis, LEASE_MILLIS);
      assertThat(live(connections)).isZero();
      // Permits and reservations are available again, completely: the previous amount can be taken.
      for (int i = 0; i < 50; i++) {
        sockets.add(ask(URI.create(other).getPort(), "k" + i % KEYS));
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> live(connections) == 50);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static long live(RedisConnections connections) {
    return connections
        .sync()
        .zrangebyscore(
            "weir:{72nw}:acme:tenant:permits:streams",
            Range.from(
                Boundary.excluding(Long.parseLong(connections.sync().time().get(0)) * 1_000_000.0),
                Boundary.unbounded()))
        .size();
  }

  private int status(String node, String id) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(node + "/stream"))
        .header("X-Api-Key", id + ".secret-of-" + id)
        .timeout(Duration.ofSeconds(10))
        .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  // A request that is admitted, and lasts until its socket is closed.
  private static Socket ask(int port, String id) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    socket
        .getOutputStream()
        .write("GET /stream HTTP/1.1\r\nHost: a\r\nX-Api-Key: %s.secret-of-%s\r\n\r\n"
            .formatted(id, id)
            .getBytes(StandardCharsets.US_ASCII));
    byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
    assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    return socket;
  }

  private static HttpServer upstream(Vertx vertx) {
    return vertx
        .createHttpServer()
        .requestHandler(request -> request.response().setChunked(true).write("begun\n"))
        .listen(0, "127.0.0.1")
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  private static NodeProcess start(Path folder, String redisUri, Path policy)
      throws IOException, InterruptedException {
    List<Integer> ports = FreePorts.some(2);
    NodeProcess node = NodeProcess.start(
        ports.get(0),
        ports.get(1),
        Map.of(
            "WEIR_REDIS_URI",
            redisUri,
            "WEIR_POLICY",
            policy.toString(),
            "WEIR_EVENT_LOOPS",
            "8",
            // No outage is tested: a machine with much other work must not look like one.
            "WEIR_REDIS_TIMEOUT_MS",
            "5000"),
        folder.resolve("node-" + ports.get(0) + ".log"),
        NodeProcess.Archiving.OFF);
    node.awaitReady();
    return node;
  }

  private static Path policy(Path folder, int upstream) throws IOException {
    StringBuilder policy = new StringBuilder("""
        operations:
          - { name: Stream, match: { method: GET, path: /stream }, cost: 10, settle: { header: X-Cost, lease: 4s } }
        buckets:
          - name: tokens
            scope: tenant
            burstPeriod: 10000
            throttleGroups: [{ opsPerSec: 1, operations: [Stream] }]
        permits:
          - { name: streams, scope: tenant, limit: 1000, lease: 4s, operations: [Stream] }
        upstream: { url: "http://127.0.0.1:%d", timeoutMs: 60000, connectTimeoutMs: 20000 }
        subjects:
        """.formatted(upstream));
    for (int i = 0; i < KEYS; i++) {
      policy.append("  k%d: { tenant: acme, secretHash: \"%s\" }\n"
          .formatted(i, SecretHash.of("secret-of-k" + i).formatted()));
    }
    return Files.writeString(folder.resolve("policy.yaml"), policy);
  }
}
