package io.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.weir.core.policy.Policy;
import io.weir.node.admin.StrandedRecords;
import io.weir.node.admin.Stranding;
import io.weir.node.admin.WatchedFile;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.policy.PastRevision;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final Duration EVERY = Duration.ofMillis(50);

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
    first = new PolicyFileWatch(vertx, one, file, this::stranded, EVERY);
    second = new PolicyFileWatch(vertx, two, file, this::stranded, EVERY);
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

  // As if a stored key needed the bucket.
  private Future<StrandedRecords> stranded(Policy current, Policy candidate) {
    boolean isKept = candidate.buckets().stream().anyMatch(it -> it.name().equals("requests"));
    return Future.succeededFuture(
        isKept
            ? new StrandedRecords(Map.of(), Map.of(), 1, true)
            : new StrandedRecords(Map.of("small", 1L), Map.of(), 1, true));
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

  // Twice: the first look may have begun before.
  private void bothLookAgain() {
    for (PolicyFileWatch watch : List.of(first, second, first, second)) {
      watch
          .look()
          .toCompletionStage()
          .toCompletableFuture()
          .orTimeout(30, TimeUnit.SECONDS)
          .join();
    }
  }

  private List<PastRevision> history() {
    return one.history().toCompletableFuture().join();
  }

  @Test
  void aLookWhileVertxClosesIsLeftWithoutAFault() throws IOException {
    bothLookAgain();
    ((VertxInternal) vertx).workerPool().close();
    write(POLICY.formatted(2));
    bothLookAgain();
    assertThat(first.refused()).isZero();
    assertThat(second.refused()).isZero();
    assertThat(history()).hasSize(1);
  }

  @Test
  void aChangeOfTheFileIsPublishedOnce() throws IOException {
    for (int rate = 2; rate <= 4; rate++) {
      write(POLICY.formatted(rate));
      inForceSoon(rate);
    }

    bothLookAgain();
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
  void anOperatorsPolicyDiffersFromTheFileUntilThatChanges() throws Exception {
    await().atMost(SOON).until(() -> first.beside(POLICY.formatted(1)).isPresent());
    assertThat(first.beside(one.text())).contains(WatchedFile.State.IN_FORCE);
    publish(POLICY.formatted(5));

    await().atMost(SOON).until(() -> first.differing() + second.differing() == 2);
    assertThat(first.beside(one.text())).contains(WatchedFile.State.DIFFERS);
    assertThat(first.refused() + second.refused()).isZero();
    bothLookAgain();
    assertThat(one.text()).isEqualTo(POLICY.formatted(5));

    write(POLICY.formatted(6));
    inForceSoon(6);
    await().atMost(SOON).until(() -> first.differing() + second.differing() == 0);
  }

  @Test
  void aFileByWhichStoredKeysLoseLimitsIsRefusedUntilItIsForced() throws Exception {
    String other = POLICY.formatted(2).replace("requests", "others");
    write(other);
    await().atMost(SOON).until(() -> first.refused() + second.refused() == 2);
    assertThat(one.text()).isEqualTo(POLICY.formatted(1));
    assertThat(first.beside(one.text())).contains(WatchedFile.State.REFUSED);
    publish(other);

    await().atMost(SOON).until(() -> first.refused() + second.refused() == 0);
    assertThat(first.beside(other)).contains(WatchedFile.State.IN_FORCE);
    assertThat(history()).hasSize(2);
  }

  private void publish(String text) throws Exception {
    one.publish("policy", text, OptionalLong.empty(), new Edit("ann", ""))
        .toCompletableFuture()
        .get(20, TimeUnit.SECONDS);
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
      new PolicyFileWatch(vertx, later, own, Stranding.NONE, EVERY).start();

      inForceSoon(10);
    }
  }
}
