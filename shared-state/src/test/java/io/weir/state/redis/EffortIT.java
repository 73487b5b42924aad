package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Cost;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.LuaLibrary;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Under generated policies and with full queues, no call does more than it may, and no state is larger than it may be.
 * Counts what {@code lib/effort.lua} counts, not time: an instruction of the test is put in its place.
 */
@Tag("engine")
final class EffortIT {
  private static final int POLICIES = Histories.count(8, 60);
  private static final List<Long> MILLI_OPS =
      List.of(1L, 17L, 1000L, 10_000L, 100_000L, 10_000_000L);
  private static final int AT_ONCE = 250;
  private static final int ROUNDS = 5;

  // What a call may do before it ends, and the decision that may go beyond it.
  private static final int MOST = 256;
  private static final int DECISION = 6;

  // docs/explanation/slots.md has these.
  private static final int CALENDAR_BYTES = 900;
  private static final int BUCKET_BYTES = 40 + 40;
  private static final int KEY_BYTES = 200 + 70 + 26 * 64;

  private static final LuaLibrary LIBRARY = LuaLibrary.limiter(Map.of("now", "now_argument"));
  private static final Mutant COUNTED = new Mutant(
      "counts",
      "effort",
      1,
      "lane.effort = lane.effort + DECISION + buckets",
      "lane.effort = lane.effort + DECISION + buckets; "
          + "redis.call('ZADD', 'effort', 'GT', lane.effort, 'most')");

  private static RedisProcess redis;
  private static RedisConnections connections;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    Assumptions.assumeFalse(
        redis.ask("INFO server").contains("redis_version:6."), "skipped: Redis 6 has no functions");
    connections = RedisConnections.open(redis.uri(), Duration.ofMinutes(1));
    connections.sync().functionLoad(COUNTED.in(LIBRARY), true);
  }

  @AfterAll
  static void stop() {
    if (connections != null) {
      connections.close();
    }
    redis.close();
  }

  static LongStream seeds() {
    return LongStream.range(Histories.firstSeed(), Histories.firstSeed() + POLICIES);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aCallEndsWhenItHasDoneEnough(long seed) {
    connections.sync().flushall();
    Random random = new Random(seed);
    ManualClock clock = new ManualClock();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, clock);
    List<Demand> demands = demands(random);
    int keys = one(random, 1, 2, 10, 60);
    for (int round = 0; round < ROUNDS; round++) {
      crowd(store, random, demands, keys);
      clock.advance(random.nextLong(3_000_000));
    }
    long buckets = demands.size();
    assertThat(connections.sync().zscore("effort", "most"))
        .describedAs("units of a call with %d buckets", buckets)
        .isGreaterThanOrEqualTo((double) (DECISION + buckets)) // somebody waits
        .isLessThan((double) (MOST + DECISION + buckets));
    assertThat(largest())
        .describedAs("bytes of a state with %d buckets", buckets)
        .isLessThanOrEqualTo(KEY_BYTES + buckets * (BUCKET_BYTES + CALENDAR_BYTES));
  }

  // Nobody waits, but the long way decides: each bucket has an overflow.
  @Test
  void aPartIsFoundInOneLook() {
    connections.sync().flushall();
    RedisBucketStore store = RedisBucketStore.rehearsing(connections, new ManualClock());
    List<Demand> demands = IntStream.range(0, 32)
        .mapToObj(i -> new Demand(
            new Bucket("b" + i, Scope.KEY, 1_000_000_000, 1_000_000),
            Demand.of(new Bucket("b" + i, Scope.KEY, 1_000_000_000, 1_000_000)).unitsPerOperation(),
            false,
            i % 2 == 1))
        .toList();
    assertThat(granted(store, demands, Cost.of(123_456_789))).isEmpty();
    assertThat(granted(store, demands, new Cost(1L << 40, 1))).hasValue(1_000_000_000);
    assertThat(granted(store, demands, new Cost(1L << 40, 1))).hasValue(876_543_211);
    assertThat(connections.sync().zscore("effort", "most"))
        .isEqualTo(2.0 * (DECISION + demands.size()));
  }

  private static OptionalLong granted(RedisBucketStore store, List<Demand> demands, Cost cost) {
    Charge charge = new Charge(
        "acme",
        "k",
        1,
        Amount.ofRates(demands, 1).costing(cost),
        Queueing.of(SlotMode.RESERVE),
        FailureMode.DENY);
    StoreAnswer answer = store.tryCharge(charge).toCompletableFuture().join();
    return ((StoreAnswer.Decided) answer).decision().remarks().granted();
  }

  private static List<Demand> demands(Random random) {
    List<Scope> scopes = one(
        random,
        List.of(Scope.KEY),
        List.of(Scope.TENANT),
        List.of(Scope.KEY, Scope.TENANT, Scope.CLUSTER));
    return IntStream.range(0, one(random, 1, 2, 3, 8, 16, 32))
        .mapToObj(i -> {
          long milliOps = MILLI_OPS.get(random.nextInt(MILLI_OPS.size()));
          long burst = one(random, 1, 2, 10, 100) * (1 + 1_000_000 / milliOps);
          Scope scope = scopes.get(i % scopes.size());
          return Demand.of(new Bucket("b" + i, scope, Rate.ofMilliOpsPerSec(milliOps), burst));
        })
        .toList();
  }

  // Requests that come at once, as many in a call as may be.
  private static void crowd(RedisBucketStore store, Random random, List<Demand> demands, int keys) {
    long most = demands.stream()
        .mapToLong(demand -> demand.operationsIn(demand.bucket().capacityUnits()))
        .min()
        .orElseThrow();
    List<CompletableFuture<StoreAnswer>> answers = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      long cost = one(random, 1L, 1L, Math.max(1, most / 2), most);
      Cost operations = random.nextInt(8) > 0 ? Cost.of(cost) : new Cost(most, cost);
      Charge charge = new Charge(
          "acme",
          "k" + random.nextInt(keys),
          1,
          Amount.ofRates(demands, cost).costing(operations),
          queueing(random, i),
          FailureMode.DENY);
      answers.add(store.tryCharge(charge).toCompletableFuture());
    }
    answers.forEach(CompletableFuture::join);
  }

  private static Queueing queueing(Random random, int i) {
    return random.nextInt(3) == 0
        ? new Queueing(SlotMode.RESERVE, TicketRequest.NONE)
        : new Queueing(
            SlotMode.RESERVE,
            TicketRequest.wanted(
                Optional.empty(), "%010d%012d".formatted(random.nextInt(1 << 30), i)));
  }

  private static long largest() {
    return connections.sync().keys("*").stream()
        .filter(key -> connections.sync().type(key).equals("string"))
        .mapToLong(key -> connections.sync().strlen(key))
        .max()
        .orElse(0);
  }

  @SafeVarargs
  private static <T> T one(Random random, T... of) {
    return of[random.nextInt(of.length)];
  }
}
