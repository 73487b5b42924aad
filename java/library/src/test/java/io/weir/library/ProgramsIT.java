package io.weir.library;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.policy.NoPolicyException;
import io.weir.testkit.FaultProxy;
import io.weir.testkit.FreePorts;
import io.weir.testkit.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that share one Redis. */
@Tag("jdk")
final class ProgramsIT {
  private static final String POLICY = """
      buckets:
        - { name: asks, burstPeriod: 1000, throttleGroups: [{ opsPerSec: 1, operations: [AcquireRequest] }] }
        - { name: hot, scope: cluster, leased: true, burstPeriod: 2000,
            throttleGroups: [{ opsPerSec: 1, operations: [Hot] }] }
      permits: [{ name: streams, limit: 3, operations: [Stream] }]
      operations: [{ name: Stream }]
      plans: { local: { failureMode: local }, shut: { failureMode: deny } }
      subjects: { k1: { tenant: acme, plan: local }, k2: { tenant: acme, plan: shut } }
      """;

  @TempDir
  private Path directory;

  private final RedisProcess redis = RedisProcess.start();
  private final FaultProxy network = FaultProxy.before(redis.port());
  private final List<Weir> open = new ArrayList<>();
  private Path policy = Path.of("policy.yaml");

  @BeforeEach
  void write() throws IOException {
    policy = Files.writeString(directory.resolve("policy.yaml"), POLICY);
  }

  @AfterEach
  void close() {
    open.forEach(Weir::close);
    network.close();
    redis.close();
  }

  private Weir program() {
    return opened(Weir.builder(redis.uri()).policy(policy));
  }

  private Weir opened(WeirBuilder how) {
    Weir weir = how.redisTimeout(Duration.ofSeconds(5)).open();
    open.add(weir);
    return weir;
  }

  private static long allowed(List<CompletableFuture<Decision>> decisions) {
    return decisions.stream()
        .map(CompletableFuture::join)
        .filter(Allowed.class::isInstance)
        .count();
  }

  @Test
  void twoProgramsHaveOneLimit() {
    Weir one = program();
    Weir other = opened(Weir.builder(redis.uri()));
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      all.add((i % 2 == 0 ? one : other).tryAcquire("k2", "AcquireRequest").toCompletableFuture());
    }
    assertThat(allowed(all)).isBetween(1000L, 1010L);
  }

  @Test
  void leasedBucketsAreNeverSpentTwice() {
    Weir one = program();
    Weir other = program();
    List<CompletableFuture<Decision>> all = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      all.add((i % 2 == 0 ? one : other).tryAcquire("k2", "Hot").toCompletableFuture());
    }
    assertThat(allowed(all)).isBetween(1L, 2010L);
  }

  @Test
  void withoutAPolicyInForceAProgramSaysSo() {
    assertThatThrownBy(() -> Weir.connect(redis.uri()))
        .isInstanceOf(NoPolicyException.class)
        .hasMessageContaining("no policy is in force");
  }

  @Test
  void withoutARedisAProgramSaysSo() {
    WeirBuilder once =
        Weir.builder("redis://127.0.0.1:" + FreePorts.one()).redisWait(Duration.ZERO);
    assertThatThrownBy(once::open).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aProgramWaitsForARedisThatStartsLater() {
    int port = FreePorts.one();
    WeirBuilder patient = Weir.builder("redis://127.0.0.1:" + port);
    CompletableFuture<Throwable> ended =
        CompletableFuture.supplyAsync(() -> catchThrowable(patient::open));
    WeirBuilder once = Weir.builder("redis://127.0.0.1:" + port).redisWait(Duration.ZERO);
    assertThatThrownBy(once::open).isInstanceOf(StoreUnavailableException.class);
    try (RedisProcess late = RedisProcess.start(port, Map.of())) {
      assertThat(late.port()).isEqualTo(port);
      // It has got as far as to ask this Redis for a policy.
      assertThat(ended.orTimeout(60, SECONDS).join()).isInstanceOf(NoPolicyException.class);
    }
  }

  @Test
  void permitsAreSharedAndFreeAgainWhenAProgramEnds() {
    Weir one = program();
    Weir other = program();
    AcquireRequest ask = AcquireRequest.of("k2", "Stream");
    Hold first = one.blocking().enter(ask);
    Hold second = other.blocking().enter(ask);
    Hold third = one.blocking().enter(ask);
    assertThat(List.of(first, second, third)).allMatch(Hold::isAllowed);
    assertThat(other.blocking().enter(ask).isAllowed()).isFalse();
    assertThat(first.cancel()).succeedsWithin(Duration.ofSeconds(5));
    // The other has been told that there is no room, and remembers that for a moment.
    await().until(() -> other.blocking().enter(ask).isAllowed());
  }

  @Test
  void aProgramThatEndsGivesItsPermitsBack() {
    Weir one = program();
    Weir other = program();
    AcquireRequest ask = AcquireRequest.of("k2", "Stream");
    for (int i = 0; i < 3; i++) {
      assertThat(one.blocking().enter(ask).isAllowed()).isTrue();
    }
    one.close();
    assertThat(other.blocking().enter(ask).isAllowed()).isTrue();
  }

  @Test
  void whileRedisIsAwayAProgramDeniesUnlessItCountsAsANode() {
    Weir guest = opened(Weir.builder(network.redisUri()).policy(policy));
    Weir node = opened(Weir.builder(network.redisUri()).countAsNode());
    await().until(() -> guest.blocking().tryAcquire("k1", "AcquireRequest") instanceof Allowed);
    network.refuse(true);
    await().until(() -> guest.shareAway() == 1 || isUndecided(guest));
    assertThatThrownBy(() -> guest.blocking().tryAcquire("k1", "AcquireRequest"))
        .isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> node.blocking().tryAcquire("k2", "AcquireRequest"))
        .isInstanceOf(StoreUnavailableException.class);
    await().until(() -> node.blocking().tryAcquire("k1", "AcquireRequest").degraded());
    network.heal();
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreException(StoreUnavailableException.class)
        .until(() -> !guest.blocking().tryAcquire("k2", "AcquireRequest").degraded());
  }

  private static boolean isUndecided(Weir weir) {
    try {
      weir.blocking().tryAcquire("k1", "AcquireRequest");
      return false;
    } catch (StoreUnavailableException e) {
      return true;
    }
  }

  @Test
  void aProgramStartsWithItsKeptPolicyWhileRedisIsAway() {
    Path copy = directory.resolve("kept.yaml");
    opened(Weir.builder(network.redisUri()).policy(policy).policyCopy(copy)).close();
    network.refuse(true);
    Weir weir = opened(Weir.builder(network.redisUri()).policyCopy(copy).countAsNode());
    assertThat(weir.policy().revision()).isEqualTo(1);
    await()
        .ignoreException(StoreUnavailableException.class)
        .until(() -> weir.blocking().tryAcquire("k1", "AcquireRequest").degraded());
    network.heal();
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreException(StoreUnavailableException.class)
        .until(() -> !weir.blocking().tryAcquire("k1", "AcquireRequest").degraded());
  }

  @Test
  void aDenialHasATicketThatKeepsItsPlace() throws Exception {
    Weir weir = program();
    weir.blocking().tryAcquire("k2", "AcquireRequest", 1000);
    Denied denied = (Denied) weir.blocking().tryAcquire("k2", "AcquireRequest");
    assertThat(denied.ticket()).isPresent();
    assertThat(weir.blocking()
            .acquire(AcquireRequest.of("k2", "AcquireRequest"), Duration.ofSeconds(30)))
        .isInstanceOf(Allowed.class);
  }

  @Test
  void aPoolWhoseThreadsAllWaitIsNoTrap() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Weir weir = opened(Weir.builder(redis.uri()).policy(policy).executor(pool));
      assertThat(pool.submit(() -> weir.blocking().tryAcquire("k2", "AcquireRequest"))
              .get(30, SECONDS))
          .isInstanceOf(Allowed.class);
    } finally {
      pool.shutdownNow();
    }
    Weir refused = opened(Weir.builder(redis.uri()).executor(pool));
    assertThat(refused.tryAcquire("k2", "AcquireRequest")).succeedsWithin(Duration.ofSeconds(30));
    assertThat(refused.acquire(AcquireRequest.of("k2", "AcquireRequest"), Duration.ZERO))
        .succeedsWithin(Duration.ofSeconds(30));
  }

  @Test
  void aPermitThatNobodyTakesIsGivenBack() {
    List<Runnable> held = new ArrayList<>();
    Weir weir = opened(Weir.builder(redis.uri()).policy(policy).executor(held::add));
    CompletableFuture<Hold> one =
        weir.enter(AcquireRequest.of("k2", "Stream")).toCompletableFuture();
    await().until(() -> !held.isEmpty());
    assertThat(weir.open()).isEqualTo(1);
    one.cancel(false);
    held.forEach(Runnable::run);
    await().until(() -> weir.open() == 0);
  }

  @Test
  void anEndThatCannotBeStoredDoesNotOutliveTheProgram() {
    Weir weir = Weir.builder(network.redisUri())
        .policy(policy)
        .redisTimeout(Duration.ofSeconds(1))
        .open();
    Hold hold = weir.blocking().enter(AcquireRequest.of("k2", "Stream"));
    assertThat(hold.isAllowed()).isTrue();
    network.refuse(true);
    CompletableFuture<?> end = hold.cancel().toCompletableFuture();
    weir.close();
    assertThat(end).failsWithin(Duration.ofSeconds(30));
  }
}
