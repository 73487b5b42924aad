package io.weir.state.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.RedisConnections;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.StepType;
import io.weir.testkit.ScenarioRun;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A call with one entry has a shorter way: its answers, and each byte that it leaves in Redis, are those of the other. */
@Tag("engine")
final class ChargeAloneIT {
  private static final int SEEDS = Histories.count(2, 12);
  private static final int STEPS = 1500;
  private static final String SECRET = "A".repeat(22);
  private static final List<Demand> ONE =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1, 5_000_000)));
  private static final List<Demand> TWO = List.of(
      Demand.of(new Bucket("requests", Scope.KEY, 1, 5_000_000)),
      Demand.of(new Bucket("more", Scope.KEY, 2, 7_000_000)));

  private static final Map<String, String> GENERAL =
      Map.of("state/charge_alone", "state/charge_never", "queue/place_own", "state/charge_never");

  /** Of calls with one entry, and with several: what the general way needs fails. */
  private static final List<Map<String, String>> SHORTER = List.of(
      Map.of("state/write_states", "state/write_never"),
      Map.of(
          "state/charge_alone", "state/charge_untried", "queue/charge_each", "state/write_never"));

  /** The version of the form, and a checksum. */
  private static final int DUMP_FOOTER_BYTES = 10;

  private static RedisDatabase alone;
  private static RedisDatabase general;
  private static RedisConnections aloneRedis;
  private static RedisConnections generalRedis;

  /** Each charge has a call of its own, as it has at the reference. */
  private record OneByOne(BucketStore store) implements BucketStore {
    @Override
    public CompletionStage<StoreAnswer> tryCharge(Charge charge) {
      CompletionStage<StoreAnswer> answer = store.tryCharge(charge);
      answer.toCompletableFuture().join();
      return answer;
    }

    @Override
    public CompletionStage<StoreAnswer> peek(Charge charge) {
      return store.peek(charge);
    }
  }

  @BeforeAll
  static void start() {
    alone = RedisDatabase.open();
    general = RedisDatabase.open();
    aloneRedis = RedisConnections.open(alone.uri(), Duration.ofMinutes(1));
    generalRedis = RedisConnections.open(general.uri(), Duration.ofMinutes(1));
    aloneRedis.sync().configSet("rdbcompression", "no");
    generalRedis.sync().configSet("rdbcompression", "no");
  }

  @AfterAll
  static void stop() {
    aloneRedis.sync().configSet("rdbcompression", "yes");
    generalRedis.sync().configSet("rdbcompression", "yes");
    aloneRedis.close();
    generalRedis.close();
    alone.close();
    general.close();
  }

  static Stream<Arguments> histories() {
    return Stream.of(StepType.values())
        .flatMap(kind -> Stream.iterate(Histories.firstSeed(), seed -> seed + 1)
            .limit(SEEDS)
            .map(seed -> Arguments.of(kind, seed)));
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("histories")
  void answersAndStatesAreThoseOfTheGeneralWay(StepType kind, long seed) {
    agree(kind, seed, Map.of());
  }

  @ParameterizedTest(name = "{0}, seed {1}")
  @MethodSource("histories")
  void placesAreThoseOfTheGeneralWay(StepType kind, long seed) {
    agree(kind, seed, Map.of("state/charge_alone", "state/charge_untried"));
  }

  // One server decides by the shorter ways, with these modules; the other one by the general way
  // alone.
  private void agree(StepType kind, long seed, Map<String, String> modules) {
    aloneRedis.sync().flushdb();
    generalRedis.sync().flushdb();
    ManualClock clock = new ManualClock();
    ScenarioRun run = new ScenarioRun(
        new Scenario(seed, kind, 1),
        kind,
        clock,
        store(generalRedis, clock, GENERAL),
        new OneByOne(store(aloneRedis, clock, modules)),
        Runnable::run);
    for (int done = 0; done < STEPS; done += 50) {
      run.run(50);
      assertThat(values(aloneRedis.sync())).isEqualTo(values(generalRedis.sync()));
    }
    assertThat(run.seen()).containsKey("Allowed");
  }

  static Stream<List<Demand>> ownBuckets() {
    return Stream.of(ONE, TWO);
  }

  // The first place of a key, and one behind it.
  @ParameterizedTest
  @MethodSource("ownBuckets")
  void aPlaceInAKeysOwnBucketsIsMadeByTheShorterWay(List<Demand> demands) {
    for (Map<String, String> modules : SHORTER) {
      aloneRedis.sync().flushdb();
      ManualClock clock = new ManualClock();
      RedisBucketStore all = RedisBucketStore.rehearsing(aloneRedis, clock);
      assertThat(decided(all, demands, 5)).isInstanceOf(Decision.Allowed.class);
      BucketStore shorter = store(aloneRedis, clock, modules);
      assertIsPlace(shorter, demands);
      assertIsPlace(shorter, demands);
    }
  }

  // A ticket, and a caller without one; both come back.
  @ParameterizedTest
  @MethodSource("ownBuckets")
  void whileOthersWaitForAKeysOwnBucketsTheShorterWayDecides(List<Demand> demands) {
    for (Map<String, String> modules : SHORTER) {
      aloneRedis.sync().flushdb();
      ManualClock clock = new ManualClock();
      RedisBucketStore all = RedisBucketStore.rehearsing(aloneRedis, clock);
      assertThat(decided(all, demands, 5)).isInstanceOf(Decision.Allowed.class);
      BucketStore shorter = store(aloneRedis, clock, modules);
      Decision.Denied holder = (Decision.Denied)
          decided(shorter, demands, 1, TicketRequest.wanted(Optional.empty(), SECRET));
      Decision.Denied other = (Decision.Denied) decided(shorter, demands, 1, TicketRequest.NONE);
      clock.advance(holder.retryAfterMicros());
      assertThat(decided(shorter, demands, 1, TicketRequest.wanted(holder.ticket(), SECRET)))
          .isInstanceOf(Decision.Allowed.class);
      clock.advance(other.retryAfterMicros() - holder.retryAfterMicros());
      assertThat(decided(shorter, demands, 1, TicketRequest.NONE))
          .isInstanceOf(Decision.Allowed.class);
    }
  }

  @Test
  void aChargeThatFitsIsDecidedByTheShorterWay() {
    aloneRedis.sync().flushdb();
    ManualClock clock = new ManualClock();
    BucketStore store = store(aloneRedis, clock, Map.of("state/write_states", "state/write_never"));
    assertThatThrownBy(() -> charge(store))
        .as("the first charge of a state")
        .hasStackTraceContaining("the general way decided");
    assertThat(charge(RedisBucketStore.rehearsing(aloneRedis, clock)))
        .isInstanceOf(Decision.Allowed.class);
    assertThat(charge(store)).isInstanceOf(Decision.Allowed.class);
  }

  @ParameterizedTest
  @MethodSource("ownBuckets")
  void aDenialWithoutSlotsIsDecidedByTheShorterWay(List<Demand> demands) {
    aloneRedis.sync().flushdb();
    ManualClock clock = new ManualClock();
    BucketStore all = RedisBucketStore.rehearsing(aloneRedis, clock);
    assertThat(withoutSlots(all, demands, 5)).isInstanceOf(Decision.Allowed.class);
    BucketStore shorter =
        store(aloneRedis, clock, Map.of("state/write_states", "state/write_never"));
    assertThat(withoutSlots(shorter, demands, 1)).isInstanceOf(Decision.Denied.class);
  }

  @Test
  void aChargeOfAnOlderPolicyIsStale() {
    aloneRedis.sync().flushdb();
    BucketStore store = RedisBucketStore.rehearsing(aloneRedis, new ManualClock());
    assertThat(charge(store)).isInstanceOf(Decision.Allowed.class);
    aloneRedis.sync().hset("weir:policy", "revision", "2");
    assertThat(answer(store)).isEqualTo(new StoreAnswer.Stale(2));
  }

  private static BucketStore store(
      RedisConnections redis, ManualClock clock, Map<String, String> modules) {
    Map<String, String> all = new HashMap<>(modules);
    all.put("now", "now_argument");
    return RedisBucketStore.rehearsing(redis, clock, all);
  }

  private static Decision charge(BucketStore store) {
    return ((StoreAnswer.Decided) answer(store)).decision();
  }

  private static void assertIsPlace(BucketStore store, List<Demand> demands) {
    assertThat(decided(store, demands, 1)).isInstanceOfSatisfying(Decision.Denied.class, denied -> {
      assertThat(denied.estimate()).isFalse();
      assertThat(denied.ticket()).isPresent();
    });
  }

  private static Decision decided(BucketStore store, List<Demand> demands, long cost) {
    return decided(store, demands, cost, TicketRequest.wanted(Optional.empty(), SECRET));
  }

  private static Decision decided(
      BucketStore store, List<Demand> demands, long cost, TicketRequest asked) {
    Charge charge =
        new Charge("acme", "k1", 1, demands, cost).with(new Queueing(SlotMode.RESERVE, asked));
    return ((StoreAnswer.Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private static Decision withoutSlots(BucketStore store, List<Demand> demands, long cost) {
    Charge charge = new Charge("acme", "k1", 1, demands, cost).with(Queueing.of(SlotMode.OFF));
    return ((StoreAnswer.Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private static StoreAnswer answer(BucketStore store) {
    Charge charge = new Charge("acme", "k1", 1, ONE, 1).with(Queueing.of(SlotMode.RESERVE));
    return store.tryCharge(charge).toCompletableFuture().join();
  }

  // A dump of a key has its bytes, whatever its type.
  // The calendars and lines of a state are stored in any order, so the bytes of a value are
  // compared in order of size.
  private static Map<String, String> values(RedisClusterCommands<String, String> commands) {
    Map<String, String> values = new TreeMap<>();
    for (String key : commands.keys("*")) {
      byte[] dump = commands.dump(key);
      byte[] value = Arrays.copyOf(dump, dump.length - DUMP_FOOTER_BYTES);
      Arrays.sort(value);
      values.put(key, HexFormat.of().formatHex(value));
    }
    return values;
  }
}
