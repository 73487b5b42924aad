package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The local cluster waits for a Redis that does not answer yet. */
final class LateRedisIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Test
  void nodesStartWhenRedisAnswers(@TempDir Path folder) throws Exception {
    List<Integer> ports = FreePorts.some(3);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (RedisProcess redis = RedisProcess.start()) {
      redis.pause();
      Future<LocalCluster> start = thread.submit(() -> LocalCluster.start(new ClusterSetup(
          NodeAddresses.onLoopback(ports.subList(0, 1), ports.subList(1, 2)),
          Optional.of(redis.uri()),
          0,
          Optional.of(ports.get(2)),
          Path.of("../../examples/mainnet.yaml"),
          Path.of("../../examples/keys.json"),
          folder.resolve("run"))));
      Path log = folder.resolve("run").resolve("node-" + ports.get(0) + ".log");
      await()
          .atMost(PATIENCE)
          .until(() ->
              Files.exists(log) && Files.readString(log).contains("Redis does not answer yet"));
      assertThat(start.isDone()).isFalse();
      redis.resume();
      try (LocalCluster cluster = start.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        assertThat(cluster.nodes()).hasSize(1);
      }
    } finally {
      thread.shutdownNow();
    }
  }
}
