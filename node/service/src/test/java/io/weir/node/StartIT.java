package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.embedded.EmbeddedRedis;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.NodeConfig.PolicyFile;
import io.weir.node.config.NodeConfig.Redis;
import io.weir.node.config.NodeConfig.Running;
import io.weir.node.config.NodeConfig.Tokens;
import io.weir.node.config.Reports;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines and containers start in any order. */
@Tag("jdk")
final class StartIT {
  @TempDir
  private Path folder;

  @Test
  void aNodeThatStartsBeforeItsRedisServesOnceThatIsThere() throws Exception {
    int port = FreePorts.one();
    int redisPort = FreePorts.one();
    NodeConfig config = config(port, OptionalInt.empty(), "redis://127.0.0.1:" + redisPort);
    CompletableFuture<Node> starting;
    try (ServerSocket notRedis = new ServerSocket(redisPort, 1, InetAddress.getLoopbackAddress())) {
      starting = CompletableFuture.supplyAsync(() -> Node.start(config));
      notRedis.accept().close(); // its first try fails
    }
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, redisPort);
        Node node = starting.get(60, TimeUnit.SECONDS)) {
      URI ready = URI.create("http://127.0.0.1:%d/health/ready".formatted(port));
      await().atMost(Duration.ofMinutes(1)).until(() -> isReady(ready));
      assertThat(URI.create(redis.uri()).getPort()).isEqualTo(redisPort);
      assertThat(node.vertx()).isNotNull();
    }
  }

  @Test
  void aNodeThatWaitsForRedisShowsThatOnItsAdminPortAlone() throws Exception {
    int port = FreePorts.one();
    int adminPort = FreePorts.one();
    int redisPort = FreePorts.one();
    NodeConfig config = config(port, OptionalInt.of(adminPort), "redis://127.0.0.1:" + redisPort);
    CompletableFuture<Node> starting = CompletableFuture.supplyAsync(() -> Node.start(config));
    String admin = "http://127.0.0.1:" + adminPort;
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsInstanceOf(IOException.class) // the port is not open yet
        .untilAsserted(() -> {
          HttpResponse<String> ready = get(admin + "/health/ready");
          assertThat(ready.statusCode()).isEqualTo(503);
          assertThat(ready.body()).contains("waiting for Redis: ");
        });
    assertThat(get(admin + "/health/live").statusCode()).isEqualTo(200);
    assertThat(get(admin + "/metrics").body()).contains("http_server_connections");
    HttpResponse<String> other = get(admin + "/v1/policy");
    assertThat(other.statusCode()).isEqualTo(503);
    assertThat(other.body()).contains("node_starting", "waiting for Redis: ");
    assertThatThrownBy(() -> get("http://127.0.0.1:%d/ping".formatted(port)))
        .isInstanceOf(ConnectException.class);

    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, redisPort)) {
      assertThat(URI.create(redis.uri()).getPort()).isEqualTo(redisPort);
      await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> get(admin + "/health/ready").statusCode() == 200);
      assertThat(get("http://127.0.0.1:%d/ping".formatted(port)).statusCode()).isEqualTo(401);
      starting.get(60, TimeUnit.SECONDS).close();
    }
  }

  @Test
  void aTakenAdminPortEndsTheStartWithItsName() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      NodeConfig config =
          config(FreePorts.one(), OptionalInt.of(taken.getLocalPort()), "redis://127.0.0.1:1");
      assertThatThrownBy(() -> Node.start(config))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("cannot listen on 127.0.0.1:" + taken.getLocalPort())
          .hasMessageContaining("(--admin-port sets another)");
    }
  }

  @Test
  void aMissingPolicyEndsTheStartWithItsOptionUnlessRedisHasOne() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, FreePorts.one())) {
      NodeConfig config = config(FreePorts.one(), OptionalInt.empty(), redis.uri());
      Path file = config.policy().file();
      String text = Files.readString(file);
      Files.delete(file);
      assertThatThrownBy(() -> Node.start(config))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("there is no policy %s, and Redis has none", file)
          .hasMessageContaining("(--policy names the file)");

      Files.writeString(file, text);
      Node.start(config).close();
      Files.delete(file);
      try (Node later = Node.start(config)) {
        assertThat(isReady(URI.create("http://127.0.0.1:%d/health/ready"
                .formatted(config.listening().callers().port()))))
            .isTrue();
        assertThat(later).isNotNull();
      }
    }
  }

  private static HttpResponse<String> get(String uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  private static boolean isReady(URI ready) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(ready).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode() == 200;
  }

  private NodeConfig config(int port, OptionalInt adminPort, String redisUri) throws IOException {
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(policy, """
        buckets:
          - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Ping] }] }
        """);
    return new NodeConfig(
        new Listening(
            new Address("127.0.0.1", port),
            adminPort.stream().mapToObj(own -> new Address("127.0.0.1", own)).findFirst(),
            Map.of(),
            Optional.empty(),
            List.of()),
        new Redis(redisUri, Duration.ofMillis(500), Duration.ofMinutes(1)),
        new PolicyFile(policy, Optional.empty(), false),
        new Tokens(Optional.empty(), Optional.empty()),
        new Running(1, 100, Duration.ZERO, Duration.ofSeconds(1)),
        Reports.NONE);
  }
}
