package io.weir.state.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClusterPolicyIT {
  private RedisProcess redis;
  private ClusterPolicy one;
  private ClusterPolicy other;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    one = ClusterPolicy.open(redis.uri(), "seed", policy(100));
    other = ClusterPolicy.open(redis.uri(), "another seed", policy(7));
  }

  @AfterEach
  void stop() {
    one.close();
    other.close();
    redis.close();
  }

  @Test
  void theFirstSeedIsThePolicyOfAll() {
    assertThat(rate(one)).isEqualTo(100_000);
    assertThat(rate(other)).isEqualTo(100_000);
    assertThat(other.current().revision()).isEqualTo(1);
  }

  @Test
  void aFileThatIsNotThePolicyInForceIsReported() {
    assertThat(logged(
            () -> ClusterPolicy.open(redis.uri(), "policy.yaml", policy(8)).close()))
        .contains("policy.yaml differs from the policy in force, revision 1, which applies");
    assertThat(logged(
            () -> ClusterPolicy.open(redis.uri(), "policy.yaml", policy(100)).close()))
        .contains("policy revision 1 is in force")
        .doesNotContain("differs");
  }

  @Test
  void aFileThatDiffersInLineEndsAloneIsThePolicyInForce() {
    publish(one, policy(8) + "\n");
    assertThat(logged(() ->
            ClusterPolicy.open(redis.uri(), "policy.yaml", policy(8) + "\r\n").close()))
        .contains("policy revision 2 is in force")
        .doesNotContain("differs");
  }

  // No other class runs beside this one in the JVM.
  private static String logged(Runnable work) {
    PrintStream before = System.err;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    try {
      work.run();
    } finally {
      System.setErr(before);
    }
    return written.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aStateOfANewerReleaseIsRefusedWithTheReason() {
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      assertThat(connections.sync().hget(RedisKeys.POLICY, "format"))
          .isEqualTo(Integer.toString(StateFormat.VERSION));
      connections.sync().hset(RedisKeys.POLICY, "format", "" + (StateFormat.VERSION + 1));
      assertThatThrownBy(() -> ClusterPolicy.open(redis.uri(), "seed", policy(100)))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining(
              "the state in Redis has format %d, of a newer release", StateFormat.VERSION + 1);
      connections.sync().hset(RedisKeys.POLICY, "format", "" + StateFormat.VERSION);
    }
  }

  @Test
  void aStateWithoutAFormatIsOfTheFirstAndGetsThatOfTheNextNode() {
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      connections.sync().hdel(RedisKeys.POLICY, "format");
      ClusterPolicy.open(redis.uri(), "seed", policy(100)).close();
      assertThat(connections.sync().hget(RedisKeys.POLICY, "format"))
          .isEqualTo(Integer.toString(StateFormat.VERSION));
    }
  }

  @Test
  void aPolicyIsInForceForAllOnceItIsPublished() {
    Publication publication = publish(one, policy(50));
    assertThat(publication.revision()).isEqualTo(2);
    await().atMost(Duration.ofMinutes(1)).until(() -> other.current().revision() == 2);
    assertThat(rate(other)).isEqualTo(50_000);
    assertThat(other.text()).isEqualTo(policy(50));
  }

  @Test
  void theTextInForceMakesNoRevision() {
    Publication first = publish(one, policy(50));
    assertThat(first.isUnchanged()).isFalse();

    for (ClusterPolicy node : List.of(one, other)) {
      Publication again = publish(node, policy(50));
      assertThat(again.isUnchanged()).isTrue();
      assertThat(again.revision()).isEqualTo(2);
      assertThat(node.inForce()).isEqualTo(new InForce(2, policy(50)));
      assertThat(node.isChanging()).isFalse();
    }

    assertThat(one.history().toCompletableFuture().join()).hasSize(2);
    assertThat(publish(one, policy(50) + " # why").revision()).isEqualTo(3);
    assertThat(publish(one, policy(50)).revision()).isEqualTo(4);
  }

  @Test
  void theTextInForceIsRefusedUnderAnotherRevision() {
    publish(one, policy(50));
    assertThatThrownBy(() -> other
            .publish("test", policy(50), OptionalLong.of(1), new Edit("test", ""))
            .toCompletableFuture()
            .join())
        .hasCauseInstanceOf(ChangedException.class);
    assertThat(one.history().toCompletableFuture().join()).hasSize(2);
  }

  @Test
  void everyNodeHasReadAPolicyBeforeItIsInForce() {
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      connections.sync().configResetstat();
      publish(one, policy(50));
      assertThat(other.reload(0).toCompletableFuture().join().revision()).isEqualTo(2);
      // The stamp is read; the document is not read again.
      assertThat(connections.sync().info("commandstats"))
          .contains("cmdstat_hmget:")
          .doesNotContain("cmdstat_hgetall:");
      assertThat(connections.sync().keys("weir:policy:next:*")).isEmpty();
    }
    assertThat(one.isChanging()).isFalse();
    assertThat(other.isChanging()).isFalse();
  }

  @Test
  void aSilentSubscriberDelaysAPolicyForABoundedTime() {
    CompletableFuture<Publication> publishing;
    RedisClient client = RedisClient.create(redis.uri());
    try (var mute = client.connectPubSub()) {
      mute.sync().subscribe(RedisKeys.POLICY_NOTICES);
      publishing = one.publish("test", policy(50), OptionalLong.empty(), new Edit("test", ""))
          .toCompletableFuture();
      await().until(() -> one.isChanging() && other.isChanging());
      assertThat(publishing).isNotDone();
      assertThat(rate(other)).isEqualTo(100_000);
      assertThat(publishing.join().revision()).isEqualTo(2);
    } finally {
      client.shutdown();
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> rate(other) == 50_000);
    assertThat(other.isChanging()).isFalse();
  }

  @Test
  void nodesKnowHowManyTheyAre() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        ClusterPolicy third = ClusterPolicy.open(network.redisUri(), "seed", policy(5))) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> one.liveNodes() == 3 && third.liveNodes() == 3);
      other.close();
      await().atMost(Duration.ofSeconds(15)).until(() -> third.liveNodes() == 2);
      network.refuse(true);
      assertThat(third.liveNodes()).isEqualTo(2);
    }
  }

  // A state has been decided by revision 5, and no remaining node has that policy.
  @Test
  void aPolicyThatIsLostIsReplacedAboveItsRevisionAfterAWhile() {
    assertThat(one.reload(5).toCompletableFuture().join().revision()).isEqualTo(1);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> one.reload(0).toCompletableFuture().join().revision() == 6);
    await().atMost(Duration.ofMinutes(1)).until(() -> other.current().revision() == 6);
    assertThat(rate(other)).isEqualTo(100_000);
  }

  @Test
  void aDeletedPolicyIsPutBackByWhoKnowsTheNewest() {
    publish(one, policy(50));
    publish(one, policy(60));
    await().atMost(Duration.ofMinutes(1)).until(() -> other.current().revision() == 3);
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      connections.sync().flushall();
    }
    try (ClusterPolicy late = ClusterPolicy.open(redis.uri(), "late", policy(7))) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> late.current().revision() == 3 && rate(late) == 60_000);
    }
    assertThat(rate(one)).isEqualTo(60_000);
  }

  @Test
  void aBadPolicyChangesNothing() {
    assertThatThrownBy(() -> publish(one, "buckets: 5"))
        .hasCauseInstanceOf(InvalidPolicyException.class);
    assertThat(rate(one)).isEqualTo(100_000);
    assertThat(other.reload(0).toCompletableFuture().join().revision()).isEqualTo(1);
  }

  @Test
  void twoWhoPublishAtOnceBothGetARevisionOfTheirOwn() {
    var first = one.publish("a", policy(50), OptionalLong.empty(), new Edit("test", ""))
        .toCompletableFuture();
    var second = other
        .publish("b", policy(60), OptionalLong.empty(), new Edit("test", ""))
        .toCompletableFuture();
    assertThat(first.join().revision()).isNotEqualTo(second.join().revision());
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> one.current().revision() == 3 && other.current().revision() == 3);
    assertThat(rate(one)).isEqualTo(rate(other));
  }

  @Test
  void twoWhoPublishTheSameAtOnceMakeOneRevision() {
    var both = List.of(one, other).stream()
        .map(node -> node.publish("test", policy(50), OptionalLong.empty(), new Edit("test", ""))
            .toCompletableFuture())
        .toList();
    assertThat(both).allSatisfy(it -> assertThat(it.join().revision()).isEqualTo(2));
    assertThat(one.history().toCompletableFuture().join()).hasSize(2);
  }

  @Test
  void aRedisThatLostThePolicyGetsItBackWithItsRevision() {
    publish(one, policy(50));
    await().atMost(Duration.ofMinutes(1)).until(() -> other.current().revision() == 2);
    redis.restart();
    await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
      try (ClusterPolicy late = ClusterPolicy.open(redis.uri(), "late", policy(3))) {
        return late.current().revision() == 2 && rate(late) == 50_000;
      }
    });
  }

  @Test
  void twoPoliciesOfOneRevisionBecomeAThird() {
    String otherText = policy(9);
    try (RedisConnections connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      // As by a node that knew no other policy when Redis had lost this one.
      connections
          .sync()
          .hset(
              RedisKeys.POLICY,
              Map.of("revision", "1", "document", otherText, "digest", "another"));
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> one.current().revision() == 2 && other.current().revision() == 2);
    assertThat(rate(one)).isEqualTo(9000);
    assertThat(rate(other)).isEqualTo(9000);
  }

  @Test
  void clustersInOtherDatabasesAreOtherClusters() {
    try (ClusterPolicy third = ClusterPolicy.open(redis.uri() + "/3", "seed", policy(5));
        RedisConnections connections =
            RedisConnections.open(redis.uri() + "/3", Duration.ofMinutes(1))) {
      assertThat(rate(third)).isEqualTo(5000);
      assertThat(connections.sync().hget(RedisKeys.POLICY, "revision")).isEqualTo("1");
    }
    assertThat(rate(one)).isEqualTo(100_000);
  }

  @Test
  void aClosedOneFailsInsteadOfHanging() {
    ClusterPolicy closed = ClusterPolicy.open(redis.uri(), "seed", policy(5));
    closed.close();
    assertThatThrownBy(() -> closed.reload(0).toCompletableFuture().get(5, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void withoutRedisNothingIsPublished() {
    try (FaultProxy network = FaultProxy.before(redis.port());
        ClusterPolicy cut = ClusterPolicy.open(network.redisUri(), "seed", policy(5))) {
      network.refuse(true);
      assertThatThrownBy(() -> publish(cut, policy(50)))
          .hasCauseInstanceOf(StoreUnavailableException.class);
      assertThat(rate(cut)).isEqualTo(100_000);
    }
  }

  private static Publication publish(ClusterPolicy policies, String text) {
    return policies
        .publish("test", text, OptionalLong.empty(), new Edit("test", ""))
        .toCompletableFuture()
        .join();
  }

  private static long rate(ClusterPolicy policies) {
    return Math.round(1000 * policies.current().policy().buckets().get(0).rate().opsPerSec());
  }

  private static String policy(int opsPerSec) {
    return "buckets: [{ name: requests, burstPeriod: 1, throttleGroups: [{ opsPerSec: %d, operations: [Ping] }] }]"
        .formatted(opsPerSec);
  }
}
