package io.weir.whole.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cluster.local.ClusterSetup;
import io.weir.cluster.local.LocalCluster;
import io.weir.cluster.local.NodeAddresses;
import io.weir.cluster.local.NodeProcess;
import io.weir.core.policy.SecretHash;
import io.weir.testkit.FreePorts;
import io.weir.testkit.Histories;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis goes down under three nodes and returns empty. The length of the outage is set by {@code
 * -Dweir.outage.seconds}.
 */
@Tag("faults")
final class OutageIT {
  private static final int OUTAGE_SECONDS =
      Integer.getInteger("weir.outage.seconds", Histories.count(3, 5));
  private static final int AFTER_SECONDS = 3;
  // Twice the burst period, less the time by which nodes notice the return earlier.
  private static final double JUDGED_SECONDS = 1.5;
  private static final int CALLERS = 24;
  private static final double RATE = 100;
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  private record Answer(long atNanos, int status, boolean isDegraded) {
    boolean isAdmitted() {
      return status == 200;
    }
  }

  @Test
  void threeNodesEnforceTheLimitByTheirSharesAndNoBurstFollows(@TempDir Path folder)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try (RedisProcess redis = RedisProcess.start();
        LocalCluster cluster = start(folder, redis.uri())) {
      List<String> nodes = cluster.nodes().stream().map(NodeProcess::url).toList();
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        String node = nodes.get(i % nodes.size());
        callers.add(CompletableFuture.runAsync(() -> ask(node), threads));
      }
      RealTime.pass(Duration.ofSeconds(2)); // the burst is used up, and the nodes know each other
      redis.kill();
      long gone = System.nanoTime();
      RealTime.pass(Duration.ofSeconds(OUTAGE_SECONDS));
      redis.restart();
      long back = firstAfter(gone + TimeUnit.SECONDS.toNanos(1), answer -> !answer.isDegraded());
      RealTime.pass(Duration.ofSeconds(AFTER_SECONDS));
      isOver.set(true);
      CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
      judge(gone, back);
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
  }

  private void judge(long gone, long back) {
    double outageSeconds = (back - gone) / 1e9;
    long inOutage = admitted(gone, back);
    long after = admitted(back, back + (long) (JUDGED_SECONDS * 1e9));
    System.out.printf(
        "outage of %.1f s: %d admitted (%.0f %% of the limit); in %.1f s after it %d%n",
        outageSeconds, inOutage, 100 * inOutage / (outageSeconds * RATE), JUDGED_SECONDS, after);
    assertThat(answers).allMatch(answer -> List.of(200, 429).contains(answer.status()));
    assertThat(answers).anyMatch(Answer::isDegraded);
    assertThat((double) inOutage)
        .isBetween(0.8 * outageSeconds * RATE, 1.05 * outageSeconds * RATE + 5);
    assertThat((double) after).isLessThanOrEqualTo(1.05 * JUDGED_SECONDS * RATE + 10);
  }

  private long admitted(long from, long to) {
    return answers.stream()
        .filter(answer -> answer.isAdmitted() && answer.atNanos() >= from && answer.atNanos() < to)
        .count();
  }

  private long firstAfter(long from, Predicate<Answer> condition) throws Exception {
    for (int i = 0; i < 100; i++) {
      Optional<Answer> first = answers.stream()
          .filter(answer -> answer.atNanos() > from && condition.test(answer))
          .findFirst();
      if (first.isPresent()) {
        return first.get().atNanos();
      }
      RealTime.pass(Duration.ofMillis(100));
    }
    throw new AssertionError("nothing was asked of Redis again");
  }

  private void ask(String node) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(node + "/v1/check"))
        .timeout(TIMEOUT)
        .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"k1.secret\",\"operation\":\"Ping\"}"))
        .build();
    try {
      while (!isOver.get()) {
        String body = client.send(request, BodyHandlers.ofString()).body();
        int status = body.contains("\"decision\":\"allowed\"")
            ? 200
            : body.contains("\"decision\":\"denied\"") ? 429 : 500;
        answers.add(new Answer(System.nanoTime(), status, body.contains("\"degraded\":true")));
        RealTime.pass(Duration.ofMillis(20));
      }
    } catch (Exception e) {
      throw new AssertionError("a request hung or failed", e);
    }
  }

  private static LocalCluster start(Path folder, String redisUri) throws Exception {
    Path policy = Files.writeString(
        folder.resolve("policy.yaml"), """
            buckets:
              - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ping] }] }
            subjects:
              k1: { tenant: acme, secretHash: "%s" }
            """.formatted(SecretHash.of("secret").formatted()));
    Path keys = Files.writeString(folder.resolve("keys.json"), "[]");
    return LocalCluster.start(new ClusterSetup(
        NodeAddresses.onLoopback(FreePorts.some(3), FreePorts.some(3)),
        Optional.of(redisUri),
        0,
        Optional.empty(),
        policy,
        keys,
        folder.resolve("run")));
  }
}
