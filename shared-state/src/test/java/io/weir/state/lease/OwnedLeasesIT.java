package io.weir.state.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.policy.FailureMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.testkit.RealTime;
import io.weir.testkit.RedisProcess;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes lease buckets of keys and tenants. */
final class OwnedLeasesIT {
  private static final Demand OF_TENANT = leased("team", Scope.TENANT, 20_000_000, 500);
  private static final Demand OF_KEY = leased("own", Scope.KEY, 10, 1_000_000);
  // Calls do not fail on a slow machine.
  private static final double ROUND_SECONDS = 1.5;

  private RedisProcess redis;
  private LeasingHost one;
  private LeasingHost two;

  private static Demand leased(String name, Scope scope, long milliOpsPerSec, long burstMillis) {
    Bucket bucket = new Bucket(name, scope, milliOpsPerSec, burstMillis);
    return Demand.of(new Bucket(bucket.name(), scope, bucket.rate(), bucket.burstMillis(), true));
  }

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    one = new LeasingHost(redis.uri(), "one", 2);
    two = new LeasingHost(redis.uri(), "two", 2);
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
    redis.close();
  }

  @Test
  void theKeysOfATenantOnTwoProcessesHaveOneLimit() {
    long begin = System.nanoTime();
    long allowed = 0;
    long asked = 0;
    while (System.nanoTime() - begin < ROUND_SECONDS * 1e9) {
      allowed += allowedOf(one, asked, 100) + allowedOf(two, asked, 100);
      asked += 200;
    }
    double took = (System.nanoTime() - begin) / 1e9;
    assertThat(allowed).isLessThanOrEqualTo((long) (20_000 * (took + 0.5)));
    assertThat(allowed).isGreaterThan(Math.min(asked, 10_000) / 2);
    assertThat(ask(one, "other", "k", OF_TENANT)).isInstanceOf(Allowed.class);
  }

  private static long allowedOf(LeasingHost host, long first, int count) {
    List<CompletableFuture<StoreAnswer>> asked = IntStream.range(0, count)
        .mapToObj(i -> host.store()
            .tryCharge(charge("acme", "k" + (first + i) % 50, OF_TENANT))
            .toCompletableFuture())
        .toList();
    return asked.stream()
        .filter(answer -> ((Decided) answer.join()).decision() instanceof Allowed)
        .count();
  }

  // 72 bytes for the admission and what computes its limits when they are read, and what the
  // measurement takes.
  @Test
  void anAdmissionByTheLeaseAllocatesAFewSmallObjects() {
    Charge charge = charge("acme", "k1", OF_TENANT);
    long[] allocated = IntStream.range(0, 51)
        .mapToLong(i -> {
          takenAtOnce(charge);
          return allocatedBy(() -> one.store().tryAtOnce(charge));
        })
        .sorted()
        .toArray();
    assertThat(allocated[25]).isBetween(1L, 120L);
  }

  private static long allocatedBy(Runnable task) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    task.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  // Once the process expects a demand, it holds units beforehand.
  private Allowed takenAtOnce(Charge charge) {
    Allowed allowed = one.store().tryAtOnce(charge);
    while (allowed == null) {
      var unused = one.store().tryCharge(charge).toCompletableFuture().join();
      allowed = one.store().tryAtOnce(charge);
    }
    return allowed;
  }

  @Test
  void onlyUnitsThatTheProcessHoldsAreTakenAtOnce() {
    Charge charge = charge("acme", "k1", OF_TENANT);
    assertThat(one.store().tryAtOnce(charge)).isNull();
    assertThat(one.leases().operationsHeld()).isZero();
    Allowed allowed = takenAtOnce(charge);
    assertThat(allowed.revision()).isEqualTo(1);
    assertThat(allowed.demands()).isSameAs(charge.demands());
    assertThat(allowed.limits()).hasSize(1);
    assertThat(allowed.limits().get(0).quota()).isEqualTo(10_000);
    assertThat(allowed.limits().get(0).usedUnits())
        .isEqualTo(allowed.usedUnits(0))
        .isPositive();
  }

  @Test
  void otherChargesAreNotTakenAtOnce() {
    Demand exact = Demand.of(new Bucket("exact", Scope.KEY, 1_000_000, 1000));
    Charge older = charge("acme", "k1", OF_TENANT);
    Charge held = new Charge("acme", "k1", 2, older.demands(), 1);
    assertThat(takenAtOnce(held).revision()).isEqualTo(2);
    assertThat(List.of(
            older,
            charge("acme", "k1", exact),
            held.with(Amount.ofRates(List.of(OF_TENANT, exact), 1)),
            held.with(Amount.ofRates(held.demands(), 10_001)),
            charge("globex", "k1", OF_TENANT)))
        .allMatch(charge -> one.store().tryAtOnce(charge) == null);
    assertThat(takenAtOnce(held).revision()).isEqualTo(2);
  }

  @Test
  void eachKeyHasItsOwnBucketAndEachTenantItsOwnKeys() {
    for (String tenant : List.of("acme", "globex")) {
      for (String subject : List.of("k1", "user:4711")) {
        AtomicInteger allowed = new AtomicInteger();
        // A process gives unused units back within a moment; then the other gets them.
        await().until(() -> {
          for (LeasingHost host : List.of(one, two)) {
            Object decision = ask(host, tenant, subject, OF_KEY);
            allowed.addAndGet(decision instanceof Allowed ? 1 : 0);
          }
          return allowed.get() == 10;
        });
        RealTime.pass(Duration.ofMillis(250)); // every lease has ended
        assertThat(ask(one, tenant, subject, OF_KEY)).isInstanceOf(Denied.class);
        assertThat(ask(two, tenant, subject, OF_KEY)).isInstanceOf(Denied.class);
      }
    }
  }

  @Test
  void aDenialTellsEachCallerAnotherTimeThatIsTrue() {
    for (int i = 0; i < 10; i++) {
      assertThat(ask(one, "acme", "k1", OF_KEY)).isInstanceOf(Allowed.class);
    }
    Denied first = (Denied) ask(one, "acme", "k1", OF_KEY);
    Denied second = (Denied) ask(one, "acme", "k1", OF_KEY);
    assertThat(first.estimate()).isTrue();
    assertThat(first.retryAfter()).isBetween(Duration.ofSeconds(98), Duration.ofSeconds(100));
    assertThat(second.retryAfter().minus(first.retryAfter()))
        .isBetween(Duration.ofSeconds(95), Duration.ofSeconds(105));
  }

  // Programs are not among the nodes.
  @Test
  void programsThatShareABucketTellTimesInTurn() {
    try (LeasingHost program = new LeasingHost(redis.uri(), "program", 1);
        LeasingHost other = new LeasingHost(redis.uri(), "other", 1)) {
      await().until(() -> ask(program, "acme", "k2", OF_KEY) instanceof Denied);
      await().atMost(Duration.ofMinutes(1)).until(() -> {
        long ofOther = toldSeconds(other);
        long ofProgram = toldSeconds(program);
        return isAbout(200, toldSeconds(other) - ofOther)
            && isAbout(200, toldSeconds(program) - ofProgram)
            && isAbout(100, Math.floorMod(ofProgram - ofOther, 200L));
      });
    }
  }

  private static long toldSeconds(LeasingHost host) {
    return ((Denied) ask(host, "acme", "k2", OF_KEY)).retryAfter().toSeconds();
  }

  private static boolean isAbout(long expected, long seconds) {
    return Math.abs(seconds - expected) <= 5;
  }

  @Test
  void aPeekTellsTheSameAndChangesNothing() {
    Demand exact = Demand.of(new Bucket("exact", Scope.KEY, 1_000_000, 1000));
    int allowed = 0;
    while (ask(one, "acme", "k1", OF_KEY, exact) instanceof Allowed) {
      allowed++;
    }
    assertThat(allowed).isBetween(8, 10); // a lease that has ended before its use was told is lost
    Denied first = peeked(exact);
    for (int i = 0; i < 5; i++) {
      assertThat(peeked(exact).full()).containsExactly("own");
    }
    Denied denied = (Denied) ask(one, "acme", "k1", OF_KEY, exact);
    assertThat(denied.retryAfter()).isLessThanOrEqualTo(first.retryAfter());
  }

  private Denied peeked(Demand exact) {
    Charge charge = charge("acme", "k1", OF_KEY, exact);
    return (Denied) ((Decided) one.store().peek(charge).toCompletableFuture().join()).decision();
  }

  // It forgets the bucket soon, and the pool its name later.
  @Test
  void aProcessThatFindsNothingAgainAndAgainIsOneHolder() {
    for (int i = 0; i < 10; i++) {
      assertThat(ask(one, "acme", "k3", OF_KEY)).isInstanceOf(Allowed.class);
    }
    String pool = new Pool(OF_KEY.bucket(), "acme", "k3").key();
    for (int i = 0; i < 6; i++) {
      RealTime.pass(Duration.ofMillis(30));
      one.store().peek(charge("acme", "k3", OF_KEY)).toCompletableFuture().join();
      assertThat(two.connections().sync().hkeys(pool))
          .filteredOn(field -> field.startsWith("h:"))
          .hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void everybodyIsAnsweredWhenTheConnectionsAreClosed() {
    redis.ask("CLIENT PAUSE 2000");
    List<CompletableFuture<StoreAnswer>> asked = IntStream.range(0, 500)
        .mapToObj(i -> one.store().tryCharge(charge("acme", "k" + i, OF_KEY)).toCompletableFuture())
        .toList();
    one.close();
    CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
    await().until(all::isDone);
    assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally);
  }

  @Test
  void whoWaitsForItsTurnFailsWhenTheTimeOutIsOver() {
    LeasingHost host = new LeasingHost(redis.uri(), "hasty", 2, Duration.ofMillis(500));
    redis.ask("CLIENT PAUSE 20000");
    long begin = System.nanoTime();
    List<CompletableFuture<StoreAnswer>> asked = IntStream.range(0, 3000)
        .mapToObj(
            i -> host.store().tryCharge(charge("acme", "k" + i, OF_KEY)).toCompletableFuture())
        .toList();
    await().until(() -> asked.stream().allMatch(CompletableFuture::isDone));
    assertThat(asked).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(18));
    host.close();
  }

  @Test
  void whoseTurnDoesNotComeIsRefusedAndNotLetThrough() {
    Runnable[] deadline = {() -> {}};
    LeaseCalls calls = new LeaseCalls(Duration.ofSeconds(1), (task, after) -> {
      deadline[0] = task;
      return Optional.of(new CompletableFuture<Void>());
    });
    List<CompletableFuture<Object>> underWay =
        IntStream.range(0, 64).mapToObj(i -> new CompletableFuture<>()).toList();
    underWay.forEach(one -> {
      var unused = calls.call("acme", () -> one);
    });
    CompletableFuture<Object> late = calls
        .call("acme", () -> CompletableFuture.completedFuture(new Object()))
        .toCompletableFuture();
    deadline[0].run();
    assertThatThrownBy(late::join)
        .cause()
        .isInstanceOfSatisfying(
            StoreUnavailableException.class,
            e -> assertThat(e.fault()).isEqualTo(StoreFault.OVERLOADED));
    underWay.get(0).complete(new Object());
    assertThat(calls.call("acme", () -> CompletableFuture.completedFuture(1)).toCompletableFuture())
        .isCompletedWithValue(1);
  }

  @Test
  void aBucketThatNobodyUsesIsForgottenAndWhatItHeldIsGivenBack() {
    Demand wide = leased("wide", Scope.KEY, 1_000_000, 1000);
    for (int i = 0; i < 300; i++) {
      assertThat(ask(one, "acme", "k1", wide)).isInstanceOf(Allowed.class);
    }
    await().until(() -> one.leases().size("acme") == 0);
    assertThat(one.leases().operationsHeld()).isZero();
    String pool = new Pool(wide.bucket(), "acme", "k1").key();
    assertThat(two.connections().sync().hgetall(pool).keySet())
        .containsOnly("rate", "used", "at_us");
  }

  @Test
  void inventedSubjectsHaveBoundedRoomAndHoldUpNoOtherTenant() {
    Demand wide = leased("wide", Scope.KEY, 1_000_000_000, 1000);
    try (LeasingHost host = new LeasingHost(redis.uri(), "three", 2)) {
      int most = 0;
      List<CompletableFuture<StoreAnswer>> hot = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        List<CompletableFuture<StoreAnswer>> flood = IntStream.range(round * 500, round * 500 + 500)
            .mapToObj(i ->
                host.store().tryCharge(charge("evil", "invented" + i, wide)).toCompletableFuture())
            .toList();
        flood.forEach(asked -> asked.exceptionally(late -> null).join());
        most = Math.max(most, host.leases().size("evil"));
        hot.add(host.store().tryCharge(charge("acme", "hot", wide)).toCompletableFuture());
        hot.get(round).exceptionally(late -> null).join();
      }
      // On a machine with much other work a grant may come when its lease is over.
      List<CompletableFuture<StoreAnswer>> inTime =
          hot.stream().filter(asked -> !asked.isCompletedExceptionally()).toList();
      assertThat(inTime).hasSizeGreaterThan(10);
      assertThat(inTime)
          .allSatisfy(
              asked -> assertThat(((Decided) asked.join()).decision()).isInstanceOf(Allowed.class));
      assertThat(most).isLessThanOrEqualTo(LeasedBuckets.MOST_OF_TENANT);
      await().until(() -> host.leases().size("evil") == 0);
    }
  }

  @Test
  void theBucketsThatWereUsedLeastLatelyAreDisplaced() {
    AtomicLong clock = new AtomicLong();
    Surroundings around = new Surroundings(
        new RedisLeases(one.connections()),
        List.of(new LeaseCalls(Duration.ofSeconds(1), (task, after) -> Optional.empty())),
        () -> 1,
        clock::incrementAndGet,
        idle -> {});
    LeasedBuckets buckets = new LeasedBuckets();
    AtomicInteger made = new AtomicInteger();
    Pool hot = new Pool(OF_KEY.bucket(), "acme", "hot");
    for (int i = 0; i < 10 * LeasedBuckets.MOST_OF_TENANT; i++) {
      var unused = buckets.get(
          new Pool(OF_KEY.bucket(), "acme", "k" + i),
          pool -> new LeasedBucket(pool, "other", isUp -> {}, around));
      LeasedBucket used = buckets.get(hot, pool -> {
        made.incrementAndGet();
        return new LeasedBucket(pool, "hot", isUp -> {}, around);
      });
      used.take(1, 1, true).join();
    }
    assertThat(made).hasValue(1);
    assertThat(buckets.size("acme")).isLessThanOrEqualTo(LeasedBuckets.MOST_OF_TENANT);
  }

  @Test
  void keysWhoseBucketsAreDisplacedGetNoMoreThanTheirLimit() {
    List<Charge> charges = IntStream.range(0, 3 * LeasedBuckets.MOST_OF_TENANT / 2)
        .mapToObj(i -> charge("acme", "k" + i, OF_KEY))
        .toList();
    int[] allowed = new int[charges.size()];
    try (LeasingHost host = new LeasingHost(redis.uri(), "three", 2)) {
      for (int round = 0; round < 12; round++) {
        List<CompletableFuture<StoreAnswer>> answers = charges.stream()
            .map(charge -> host.store().tryCharge(charge).toCompletableFuture())
            .toList();
        for (int i = 0; i < allowed.length; i++) {
          Decided decided = (Decided) answers.get(i).join();
          allowed[i] += decided.decision() instanceof Allowed ? 1 : 0;
        }
      }
    }
    assertThat(IntStream.of(allowed).max().orElseThrow()).isLessThanOrEqualTo(10);
    assertThat(IntStream.of(allowed).sum()).isPositive();
  }

  private static Object ask(LeasingHost host, String tenant, String subject, Demand... demands) {
    Charge charge = charge(tenant, subject, demands);
    return ((Decided) host.store().tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private static Charge charge(String tenant, String subject, Demand... demands) {
    return new Charge(
        tenant, subject, 1, Amount.ofRates(List.of(demands), 1), Queueing.NONE, FailureMode.DENY);
  }
}
