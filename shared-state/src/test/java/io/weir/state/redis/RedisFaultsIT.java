package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.RedisKeys;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redis on its own time, and its failures. */
final class RedisFaultsIT {
  private static final Duration TIMEOUT = Duration.ofMillis(200);
  private static final Duration PATIENT = Duration.ofSeconds(10);
  private static final Demand TEN = Demand.of(new Bucket("ten", Scope.KEY, 10_000, 1000));

  private static final Demand TWENTY = Demand.of(new Bucket("twenty", Scope.KEY, 1000, 20_000));

  private RedisProcess redis;
  private RedisConnections connections;
  private RedisBucketStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    connect(PATIENT);
  }

  private void connect(Duration timeout) {
    connections = RedisConnections.open(redis.uri(), timeout);
    store = RedisBucketStore.of(connections, () -> false);
  }

  // For tests in which Redis does not answer: in others, a busy machine is no fault.
  private void waitShortly() {
    connections.close();
    connect(TIMEOUT);
  }

  @AfterEach
  void stop() {
    connections.close();
    redis.close();
  }

  @Test
  void aKeyExpiresWhenItsBucketsAreEmpty() {
    assertThat(take(5)).isInstanceOf(Allowed.class);
    RedisClusterCommands<String, String> commands = connections.sync();
    // Empty after 500 ms, 501 if they begin within one; the longest TTL is twice that plus 1 s.
    assertThat(commands.pttl("weir:{72nw}:acme:key:k1")).isBetween(400L, 2 * 501L + 1000);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> commands.exists("weir:{72nw}:acme:key:k1") == 0);
  }

  @Test
  void theStateOfAKeyExplainsItself() {
    take(5);
    assertThat(States.show(connections.sync(), "weir:{72nw}:acme:key:k1"))
        .containsOnlyKeys("at_us", "revision", "expires_ms", "ten@1/100000")
        .containsEntry("revision", "1")
        .containsEntry("ten@1/100000", "500000");
  }

  @Test
  void forgottenScriptsAreSentAgain() {
    take(1);
    connections.sync().scriptFlush();
    assertThat(take(1)).isInstanceOf(Allowed.class);
    assertThat(take(1).limits().get(0).remaining()).isLessThanOrEqualTo(9);
  }

  @Test
  void aPublishedPolicyMakesOlderRevisionsStaleAtOnce() {
    connections.sync().hset(RedisKeys.POLICY, "revision", "3");
    assertThat(answer(1)).isEqualTo(new StoreAnswer.Stale(3));
  }

  @Test
  void withoutRedisEveryQuestionFailsAtOnceAndWithItTheLimitHoldsAgain() {
    take(1);
    redis.kill();
    long before = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      assertUnavailable();
    }
    assertThat(System.nanoTime() - before).isLessThan(PATIENT.toNanos());
    redis.restart();
    // A call that is late when its library has to be loaded fails.
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> tryTake(10) instanceof Allowed);
    assertThat(take(10)).isNotInstanceOf(Allowed.class);
  }

  @Test
  void aRedisThatHangsIsNotWaitedForLongerThanTheTimeout() {
    waitShortly();
    take(1);
    try (RedisConnections other = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      other.sync().clientPause(1500);
      assertUnavailable();
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> tryTake(1) instanceof Allowed);
  }

  @Test
  void anAbandonedChargeIsNotDecidedLater() {
    waitShortly();
    Demand slow = Demand.of(new Bucket("slow", Scope.KEY, 1, 10_000_000));
    Charge charge = new Charge("acme", "k2", 1, List.of(slow), 1);
    store.tryCharge(charge).toCompletableFuture().join();
    List<CompletableFuture<StoreAnswer>> givenUp = new ArrayList<>();
    try (RedisConnections other = RedisConnections.open(redis.uri(), Duration.ofMinutes(1))) {
      other.sync().clientPause(1500);
      for (int i = 0; i < 30; i++) {
        givenUp.add(store.tryCharge(charge).toCompletableFuture());
      }
      assertThat(givenUp).allSatisfy(one -> assertThat(one).failsWithin(Duration.ofSeconds(1)));
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> connections
            .probe()
            .handle((pong, error) -> error == null)
            .toCompletableFuture()
            .join());
    StoreAnswer.Decided after =
        (StoreAnswer.Decided) store.tryCharge(charge).toCompletableFuture().join();
    assertThat(after.decision().limits().get(0).remaining()).isEqualTo(8);
  }

  @Test
  void queuesLeaveAQuarterOfTheMemoryToThoseWhoDoNotWait() {
    assertThat(takeOrWait("k3", 20)).isInstanceOf(Allowed.class);
    assertThat(isPromised("k3")).isTrue();
    RedisClusterCommands<String, String> commands = connections.sync();
    long used = usedMemory(commands);
    commands.configSet("maxmemory", Long.toString(used + used / 8));
    await().atMost(Duration.ofMinutes(1)).until(() -> !isPromised("k3"));
    long places = commands.bitcount("weir:{72nw}:acme:key:k3:tickets");
    for (int i = 0; i < 20; i++) {
      assertThat(isPromised("k3")).isFalse();
    }
    // The tickets may have expired meanwhile; none was added.
    assertThat(commands.bitcount("weir:{72nw}:acme:key:k3:tickets")).isLessThanOrEqualTo(places);
    assertThat(takeOrWait("k4", 20)).isInstanceOf(Allowed.class);
    assertThat(isPromised("k4")).isFalse();
    commands.configSet("maxmemory", "0");
    await().atMost(Duration.ofMinutes(1)).until(() -> isPromised("k4"));
  }

  @Test
  void aRedisWithoutMemorySaysSoAndGoesOnOnceItHasSome() {
    take(1);
    RedisClusterCommands<String, String> commands = connections.sync();
    commands.configSet("maxmemory", "1");
    assertThatThrownBy(() -> answer(1))
        .hasCauseInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("maxmemory");
    commands.configSet("maxmemory", "0");
    assertThat(take(1)).isInstanceOf(Allowed.class);
  }

  @Test
  void aRedisThatIsNotThereIsAClearError() {
    String nobody = "redis://127.0.0.1:" + FreePorts.one();
    assertThatThrownBy(() -> RedisConnections.open(nobody, TIMEOUT))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("no Redis to connect to");
  }

  @Test
  void aWrongPasswordIsSaidToBeOne() {
    connections.sync().configSet("requirepass", "right");
    String uri = redis.uri().replace("redis://", "redis://:wrong@");
    assertThatThrownBy(() -> RedisConnections.open(uri, TIMEOUT))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("WRONGPASS");
    connections.sync().configSet("requirepass", "");
  }

  private boolean isPromised(String subject) {
    return takeOrWait(subject, 1) instanceof Denied denied && !denied.estimate();
  }

  private Decision takeOrWait(String subject, long cost) {
    TicketRequest wanted = TicketRequest.wanted(Optional.empty(), "s".repeat(22));
    Charge charge = new Charge("acme", subject, 1, List.of(TWENTY), cost)
        .with(new Queueing(SlotMode.RESERVE, wanted));
    StoreAnswer answer = store
        .tryCharge(charge)
        .toCompletableFuture()
        .orTimeout(5, TimeUnit.SECONDS)
        .join();
    return ((StoreAnswer.Decided) answer).decision();
  }

  private static long usedMemory(RedisClusterCommands<String, String> commands) {
    return commands
        .info("memory")
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(
            line -> Long.parseLong(line.substring("used_memory:".length()).strip()))
        .sum();
  }

  private void assertUnavailable() {
    assertThatThrownBy(() -> answer(1)).hasCauseInstanceOf(StoreUnavailableException.class);
  }

  private Decision take(long cost) {
    return ((StoreAnswer.Decided) answer(cost)).decision();
  }

  private Object tryTake(long cost) {
    CompletableFuture<Object> answer =
        ask(cost).thenApply(a -> ((StoreAnswer.Decided) a).decision());
    return answer.exceptionally(error -> error).join();
  }

  private StoreAnswer answer(long cost) {
    return ask(cost).orTimeout(5, TimeUnit.SECONDS).join();
  }

  private CompletableFuture<StoreAnswer> ask(long cost) {
    return store.tryCharge(new Charge("acme", "k1", 1, List.of(TEN), cost)).toCompletableFuture();
  }
}
