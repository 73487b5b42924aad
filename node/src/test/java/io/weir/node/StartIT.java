package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.embedded.EmbeddedRedis;
import io.weir.node.config.NodeConfig;
import io.weir.node.config.Reports;
import io.weir.testkit.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
    NodeConfig config = config(port, "redis://127.0.0.1:" + redisPort);
    CompletableFuture<Node> starting;
    try (ServerSocket notRedis = new ServerSocket(redisPort, 1, InetAddress.getLoopbackAddress())) {
      starting = CompletableFuture.supplyAsync(() -> Node.start(config));
      notRedis.accept().close(); // its first try fails
    }
    try (EmbeddedRedis redis = EmbeddedRedis.start(EmbeddedRedis.Binary.ANY, redisPort);
        Node node = starting.get(60, TimeUnit.SECONDS)) {
      URI ready = URI.create("http://127.0.0.1:%d/health/ready".formatted(port));
      await().atMost(Duration.ofSeconds(20)).until(() -> isReady(ready));
      assertThat(URI.create(redis.uri()).getPort()).isEqualTo(redisPort);
      assertThat(node.vertx()).isNotNull();
    }
  }

  private static boolean isReady(URI ready) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(ready).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode() == 200;
  }

  private NodeConfig config(int port, String redisUri) throws IOException {
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(policy, """
        buckets:
          - { name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: 100, operations: [Ping] }] }
        """);
    return new NodeConfig(
        "127.0.0.1",
        port,
        "127.0.0.1",
        OptionalInt.empty(),
        redisUri,
        policy,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Duration.ofMillis(500),
        Duration.ofMinutes(1),
        1,
        Duration.ZERO,
        Duration.ofSeconds(1),
        List.of(),
        Optional.empty(),
        false,
        Reports.NONE);
  }
}
