package io.weir.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.weir.batch.IdempotencyStore;
import io.weir.batch.IdempotencyStore.Claim;
import io.weir.batch.IdempotencyStore.Item;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.operators.steer.RedisReset;
import io.weir.operators.top.Counts;
import io.weir.operators.top.RedisTop;
import io.weir.state.audit.RedisAudit;
import io.weir.state.connection.RedisConnections;
import io.weir.state.inspect.StateInspector;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.policy.Edit;
import io.weir.state.testing.DocumentedUser;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The documented user can run all commands of nodes, and no others. */
final class RedisAclIT {
  private static final String POLICY = """
      buckets:
        - { name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 100, operations: [Ping] }] }
      """;

  private static RedisProcess redis;
  private static RedisConnections admin;
  private static String uri;

  @BeforeAll
  static void start() throws IOException {
    redis = RedisProcess.start();
    admin = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    RedisClusterCommands<String, String> commands = admin.sync();
    // Before Redis 7 there are no rights to single subcommands and channels.
    assumeTrue(!commands.info("server").contains("redis_version:6."), "Redis 7 or newer");
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
    for (String word : DocumentedUser.arguments().split(" ", -1)) {
      arguments.add(word);
    }
    commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
    uri = redis.uri().replace("redis://", "redis://weir:a-long-password@");
  }

  @AfterAll
  static void stop() {
    admin.close();
    redis.close();
  }

  @Test
  void itMayDecideQueuePublishAndCountNodes() {
    try (RedisConnections connections = RedisConnections.open(uri, Duration.ofMinutes(1));
        ClusterPolicy policies = ClusterPolicy.open(uri, "seed", POLICY)) {
      RedisBucketStore store = RedisBucketStore.of(connections, policies::isChanging);
      Bucket bucket = new Bucket("requests", Scope.KEY, 1000, 1000);
      List<Demand> demands = List.of(Demand.of(bucket));
      Charge charge = new Charge("acme", "k1", 1, demands, 1).with(Queueing.of(SlotMode.RESERVE));
      assertThat(decided(store, charge)).isInstanceOf(Allowed.class);
      assertThat(decided(store, charge)).isInstanceOf(Denied.class);
      assertThat(connections.probe().toCompletableFuture().join()).isNull();
      assertThat(new StateInspector(connections).show("weir:{72nw}:acme:key:k1"))
          .isNotEmpty();
      assertThat(new StateInspector(connections).show("weir:{p1}:upstream:tenant"))
          .isEmpty();
      Map<String, String> fields = new HashMap<>();
      new StateInspector(connections)
          .putCount(
              fields, "inflight", RedisKeys.ofExtension("upstream", "none") + ":inflight", "sent");
      assertThat(fields).isEmpty();
      assertThat(policies
              .publish("test", POLICY + "# again\n", OptionalLong.empty(), new Edit("test", ""))
              .toCompletableFuture()
              .join()
              .revision())
          .isEqualTo(2);
      assertThat(policies.liveNodes()).isEqualTo(1);
      assertThat(policies.history().toCompletableFuture().join()).hasSize(2);
      assertThat(policies.text(1).toCompletableFuture().join()).hasValue(POLICY);
      policies.questions().answer("echo", CompletableFuture::completedFuture);
      assertThat(policies
              .questions()
              .ask("echo", "a b")
              .toCompletableFuture()
              .join()
              .texts())
          .containsExactly("a b");
    }
  }

  @Test
  void itMayTellOperatorsWhatTheyAskFor() throws Exception {
    try (RedisConnections connections = RedisConnections.open(uri, Duration.ofMinutes(1))) {
      RedisTop top = new RedisTop(connections);
      assertThat(get(top.put("node", Counts.NONE))).isPositive();
      assertThat(get(top.look())).hasSize(1);
      RedisAudit audit = new RedisAudit(connections);
      get(audit.add("admin", "reset", "key:k1", "", ""));
      assertThat(get(audit.last(1)).get(0).what()).isEqualTo("reset");
      RedisReset resets = new RedisReset(connections);
      assertThat(get(resets.reset(
              "weir:{p1}:nobody:key:k1",
              new RedisReset.What(List.of("*"), List.of("pool"), List.of("calls"), true),
              false)))
          .isEmpty();
      assertThat(new StateInspector(connections)
              .holders("weir:{p1}:nobody:key:k1", "streams", 5)
              .join())
          .isEmpty();
    }
  }

  @Test
  void itMayKeepTheAnswersOfBatches() throws Exception {
    try (RedisConnections connections = RedisConnections.open(uri, Duration.ofMinutes(1))) {
      IdempotencyStore answers = new IdempotencyStore(connections);
      Item item = new Item("acme", "k1", "once", "fingerprint");
      Duration atMost = Duration.ofSeconds(10);
      assertThat(get(answers.claim(item, "a", atMost, true))).isEqualTo(new Claim.Claimed());
      get(answers.keep(item, "a", "{}"));
      assertThat(get(answers.claim(item, "b", atMost, true))).isEqualTo(new Claim.Done("{}"));
      assertThat(get(answers.isKept("acme", "k1", "once"))).isTrue();
      Item freed = new Item("acme", "k1", "freed", "fingerprint");
      get(answers.claim(freed, "a", atMost, true));
      get(answers.release(freed, "a"));
      assertThat(get(answers.claim(freed, "b", atMost, true))).isEqualTo(new Claim.Claimed());
    }
  }

  @Test
  void itMayDoNothingElse() {
    try (RedisConnections connections = RedisConnections.open(uri, Duration.ofMinutes(1))) {
      RedisClusterCommands<String, String> commands = connections.sync();
      assertThatThrownBy(commands::flushall)
          .isInstanceOf(RedisCommandExecutionException.class)
          .hasMessageStartingWith("NOPERM");
      assertThatThrownBy(() -> commands.set("another", "1")).hasMessageStartingWith("NOPERM");
      assertThatThrownBy(() -> commands.keys("*")).hasMessageStartingWith("NOPERM");
    }
  }

  @Test
  void aWrongPasswordIsSaidAndIsNoOutage() {
    // On a busy machine a connection may fail for another reason, before it is refused.
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThatThrownBy(() -> RedisConnections.open(
                uri.replace("a-long-password", "another"), Duration.ofMinutes(1)))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("WRONGPASS")
            .extracting(error -> ((StoreUnavailableException) error).fault())
            .isEqualTo(StoreFault.REFUSED));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(5, TimeUnit.SECONDS);
  }

  private static Object decided(RedisBucketStore store, Charge charge) {
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }
}
