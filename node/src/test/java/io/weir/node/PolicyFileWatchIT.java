package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.PastRevision;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that watch a policy file, as a ConfigMap that is mounted in both. */
final class PolicyFileWatchIT {
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriod: 10, throttleGroups: [{ opsPerSec: %d, operations: [Ask] }] }
      """;
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir
  Path directory;

  private final Vertx vertx = Vertx.vertx();
  private Path file;
  private RedisProcess redis;
  private ClusterPolicy one;
  private ClusterPolicy two;
  private PolicyFileWatch first;
  private PolicyFileWatch second;

  @BeforeEach
  void start() throws IOException {
    file = directory.resolve("policy.yaml");
    write(POLICY.formatted(1));
    redis = RedisProcess.start();
    one = ClusterPolicy.open(redis.uri(), "seed", POLICY.formatted(1));
    two = ClusterPolicy.open(redis.uri(), "seed", POLICY.formatted(1));
    first = new PolicyFileWatch(vertx, one, file);
    second = new PolicyFileWatch(vertx, two, file);
    first.start();
    second.start();
  }

  @AfterEach
  void end() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    one.close();
    two.close();
    redis.close();
  }

  // Replaced at once, as a mounted file is.
  private void write(String text) throws IOException {
    Path next = Files.writeString(directory.resolve("next"), text);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void inForceSoon(int rate) {
    await().atMost(SOON).untilAsserted(() -> {
      assertThat(one.text()).isEqualTo(POLICY.formatted(rate));
      assertThat(two.text()).isEqualTo(POLICY.formatted(rate));
    });
  }

  private List<PastRevision> history() {
    return one.history().toCompletableFuture().join();
  }

  @Test
  void aChangeOfTheFileIsPublishedOnce() throws IOException {
    for (int rate = 2; rate <= 4; rate++) {
      write(POLICY.formatted(rate));
      inForceSoon(rate);
    }

    await().pollDelay(Duration.ofSeconds(5)).until(() -> true); // both have looked again
    assertThat(history().stream().map(PastRevision::by))
        .containsExactly("file", "file", "file", "node");
    assertThat(first.refused() + second.refused()).isZero();
  }

  @Test
  void aBrokenFileLeavesTheLastGoodPolicyUntilItIsMended() throws IOException {
    write(POLICY.formatted(2));
    inForceSoon(2);
    write("buckets: 3");
    await().atMost(SOON).until(() -> first.refused() + second.refused() == 2);
    assertThat(one.text()).isEqualTo(POLICY.formatted(2));
    Files.delete(file);
    write(POLICY.formatted(3));
    inForceSoon(3);

    await().atMost(SOON).until(() -> first.refused() + second.refused() == 0);
    assertThat(history()).hasSize(3);
  }

  @Test
  void aFileThatIsThereAgainIsNoLongerTold() throws IOException {
    Files.delete(file);
    await().atMost(SOON).until(() -> first.refused() + second.refused() == 2);
    write(POLICY.formatted(1));

    await().atMost(SOON).until(() -> first.refused() + second.refused() == 0);
    assertThat(history()).hasSize(1);
  }

  @Test
  void atTheStartTheFileIsPublishedIfItDiffers() throws IOException {
    write(POLICY.formatted(9));
    inForceSoon(9);
    try (ClusterPolicy later = ClusterPolicy.open(redis.uri(), "seed", POLICY.formatted(1))) {
      Path own = Files.writeString(directory.resolve("own.yaml"), POLICY.formatted(10));
      new PolicyFileWatch(vertx, later, own).start();

      inForceSoon(10);
    }
  }
}
