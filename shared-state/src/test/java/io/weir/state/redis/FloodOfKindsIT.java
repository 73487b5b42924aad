package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.state.connection.RedisConnections;
import io.weir.state.denial.DenialCache;
import io.weir.state.denial.MixedDenial;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that never stop asking for more than their limits: judged by the number of calls to Redis. */
@ExtendWith(RedisFixture.class)
final class FloodOfKindsIT {
  private static final int FLOOD = 2000;
  private static final List<Demand> WIDE = List.of(demand("wide", Scope.KEY, 1_000_000, 1000));
  private static final List<Demand> ONCE = List.of(demand("once", Scope.KEY, 1, 1000));
  private static final List<KindDemand> FIVE_AN_HOUR = List.of(quota("hour", Scope.KEY, 5));
  private static final List<KindDemand> TEN_AT_ONCE =
      List.of(new Permits("streams", Scope.KEY, 10, 60_000_000));

  private static RedisConnections connections;

  private final AtomicInteger calls = new AtomicInteger();
  private final long begin = System.nanoTime();
  private long later;
  private RedisBucketStore store;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  // The node's clock stands still unless a test moves it on.
  @BeforeEach
  void aNode() {
    connections.sync().flushall();
    store = RedisBucketStore.of(
        connections,
        () -> false,
        part -> isAnswered -> calls.incrementAndGet(),
        () -> begin + later);
  }

  @ParameterizedTest(name = "slots {0}")
  @ValueSource(booleans = {false, true})
  void aNodeAnswersByItselfWhereAQuotaIsFull(boolean hasSlots) {
    ask(5, n -> kinds(WIDE, FIVE_AN_HOUR, hasSlots, 1, none()));
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      Denied denied = denied(kinds(WIDE, FIVE_AN_HOUR, hasSlots, 1, none()));
      assertThat(denied.full()).containsExactly("hour");
      assertThat(denied.retryAfterMicros()).isBetween(1L, 3_600_000_000L);
      assertThat(denied.limits()).hasSize(2);
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(2);
    later = DenialCache.MAX_AGE_NANOS + 1;
    denied(kinds(WIDE, FIVE_AN_HOUR, hasSlots, 1, none()));
    assertThat(calls.get() - before).describedAs("asked again after a second").isLessThan(4);
  }

  @Test
  void aFullQuotaDeniesNeitherOthersNorAnotherPolicyNorSmallerRequests() {
    Charge three = kinds(WIDE, FIVE_AN_HOUR, false, 3, none());
    ask(1, n -> three);
    denied(three);
    assertThat(decide(kinds(WIDE, FIVE_AN_HOUR, false, 2, none()))).isInstanceOf(Allowed.class);
    denied(kinds(WIDE, FIVE_AN_HOUR, false, 1, none()));
    List<KindDemand> more = List.of(quota("hour", Scope.KEY, 9));
    assertThat(decide(charge("t", "k", 2, WIDE, more, SlotMode.OFF, 1, none())))
        .isInstanceOf(Allowed.class);
    assertThat(decide(charge("t", "k2", 2, WIDE, more, SlotMode.OFF, 1, none())))
        .isInstanceOf(Allowed.class);
  }

  @ParameterizedTest(name = "slots {0}")
  @ValueSource(booleans = {false, true})
  void whileAllPermitsAreHeldFewChargesReachRedisAndEachCallerGetsADifferentTime(boolean hasSlots) {
    ask(10, n -> kinds(WIDE, TEN_AT_ONCE, hasSlots, 1, held(n)));
    int before = calls.get();
    Set<Long> told = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      told.add(denied(kinds(WIDE, TEN_AT_ONCE, hasSlots, 1, held(100 + i))).retryAfterMicros());
    }
    assertThat(told).hasSize(20);
    for (int i = 0; i < FLOOD; i++) {
      denied(kinds(WIDE, TEN_AT_ONCE, hasSlots, 1, held(200 + i)));
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(2);
    later = MixedDenial.PAUSE_NANOS;
    for (int i = 0; i < FLOOD; i++) {
      denied(kinds(WIDE, TEN_AT_ONCE, hasSlots, 1, held(5000 + i)));
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(3);
  }

  @Test
  void aPermitThatThisNodeGivesBackIsForTheNextCaller() {
    ask(10, n -> kinds(WIDE, TEN_AT_ONCE, false, 1, held(n)));
    denied(kinds(WIDE, TEN_AT_ONCE, false, 1, held(11)));
    Charge first = kinds(WIDE, TEN_AT_ONCE, false, 1, held(0));
    new RedisHolds(connections)
        .end(Held.of(first, first.extras().hold().orElseThrow()), new Ending.Cancelled())
        .toCompletableFuture()
        .join();
    assertThat(decide(kinds(WIDE, TEN_AT_ONCE, false, 1, held(12)))).isInstanceOf(Allowed.class);
  }

  @ParameterizedTest(name = "slots {0}")
  @ValueSource(booleans = {false, true})
  void deniedReservationsAreDeniedByTheNode(boolean hasSlots) {
    ask(1, n -> kinds(ONCE, List.of(), hasSlots, 1, reserved("r" + n, false)));
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      Charge charge = kinds(ONCE, List.of(), hasSlots, 1, reserved("x" + i, false));
      denied(hasSlots ? charge.with(charge.queueing().withoutNewPlaces()) : charge);
    }
    assertThat(calls.get() - before).isLessThan(hasSlots ? 100 : 3);
  }

  @Test
  void aReservationThatIsRepeatedIsFoundThoughItsBucketIsFullUnlessItsKeyFloods() {
    Charge first = kinds(ONCE, List.of(), false, 1, reserved("r", true));
    assertThat(decide(first)).isInstanceOf(Allowed.class);
    denied(kinds(ONCE, List.of(), false, 1, reserved("other", true)));
    assertThat(decide(first)).isInstanceOf(Allowed.class);
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      denied(kinds(ONCE, List.of(), false, 1, reserved("x" + i, true)));
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(50);
  }

  @Test
  void requestsOfDifferentCostsAreBoundedToo() {
    ask(1, n -> kinds(WIDE, FIVE_AN_HOUR, false, 5, none()));
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      denied(kinds(WIDE, FIVE_AN_HOUR, false, 1 + i % 5, none()));
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(5);
  }

  @Test
  void twoOperationsInTurnAreKnownBoth() {
    List<Demand> other = List.of(ONCE.get(0), demand("beside", Scope.KEY, 1000, 1000));
    ask(1, n -> kinds(ONCE, List.of(), false, 1, Optional.empty()));
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      denied(kinds(i % 2 == 0 ? ONCE : other, List.of(), false, 1, Optional.empty()));
    }
    assertThat(calls.get() - before).isLessThanOrEqualTo(2);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"off", "reserve", "kinds"})
  void aFullBucketOfTheClusterIsKnownForAllKeys(String how) {
    List<Demand> demands = List.of(WIDE.get(0), demand("all", Scope.CLUSTER, 1, 10_000));
    ask(10, n -> shared(demands, how, n));
    int before = calls.get();
    Set<Long> told = new HashSet<>();
    int admitted = 0;
    for (int i = 0; i < FLOOD; i++) {
      // The bucket drains while the test runs.
      if (decide(shared(demands, how, i)) instanceof Denied denied) {
        assertThat(denied.full()).containsExactly("all");
        told.add(denied.retryAfterMicros());
      } else {
        admitted++;
      }
    }
    // A charge that meets a queue takes two calls; past 50 in a tenth of a second each tenant has
    // one.
    assertThat(calls.get() - before).isLessThanOrEqualTo(2 * (50 + 50) + 2 * admitted);
    assertThat(told.size()).isGreaterThanOrEqualTo(how.equals("reserve") ? 5 : 1);
  }

  @Test
  void aFullBucketOfATenantIsKnownForItsKeysAndForNoOtherTenant() {
    List<Demand> demands = List.of(WIDE.get(0), demand("ours", Scope.TENANT, 1, 1000));
    assertThat(decide(plain("t1", "k1", demands))).isInstanceOf(Allowed.class);
    denied(plain("t1", "k1", demands));
    int before = calls.get();
    for (int i = 0; i < FLOOD; i++) {
      denied(plain("t1", "k" + i, demands));
    }
    assertThat(calls.get() - before).isZero();
    assertThat(decide(plain("t2", "k1", demands))).isInstanceOf(Allowed.class);
  }

  private static Charge shared(List<Demand> demands, String how, int n) {
    return charge(
        "t" + n % 50,
        "k" + n % 500,
        1,
        demands,
        how.equals("kinds") ? FIVE_AN_HOUR : List.of(),
        how.equals("reserve") ? SlotMode.RESERVE : SlotMode.OFF,
        1,
        Optional.empty());
  }

  private static Charge plain(String tenant, String subject, List<Demand> demands) {
    return charge(tenant, subject, 1, demands, List.of(), SlotMode.OFF, 1, Optional.empty());
  }

  private static Charge kinds(
      List<Demand> rates,
      List<KindDemand> kinds,
      boolean hasSlots,
      long cost,
      Optional<Hold> hold) {
    SlotMode slots = hasSlots ? SlotMode.RESERVE : SlotMode.OFF;
    return charge("t", "k", 1, rates, kinds, slots, cost, hold);
  }

  private static Charge charge(
      String tenant,
      String subject,
      long revision,
      List<Demand> rates,
      List<KindDemand> kinds,
      SlotMode slots,
      long cost,
      Optional<Hold> hold) {
    return new Charge(
        tenant,
        subject,
        revision,
        new Amount(rates, cost, new Extras(kinds, hold)),
        Queueing.of(slots),
        FailureMode.DENY);
  }

  private static Optional<Hold> none() {
    return Optional.empty();
  }

  private static Optional<Hold> held(int number) {
    return Optional.of(new Hold("hold" + number, 60_000_000, false, false));
  }

  private static Optional<Hold> reserved(String id, boolean mayRepeat) {
    return Optional.of(
        mayRepeat
            ? new Hold(id, "Ask:1:-", 60_000_000, true, true)
            : new Hold(id, 60_000_000, true, true));
  }

  private static Demand demand(String name, Scope scope, long opsPerSec, long burstMillis) {
    return Demand.of(new Bucket(name, scope, 1000 * opsPerSec, burstMillis));
  }

  private static Quota quota(String name, Scope scope, long limit) {
    return new Quota(
        name, scope, limit, new FixedPeriods(3_600_000, false), false, 80, false, false);
  }

  private void ask(int times, IntFunction<Charge> charge) {
    for (int i = 0; i < times; i++) {
      assertThat(decide(charge.apply(i))).isInstanceOf(Allowed.class);
    }
  }

  private Denied denied(Charge charge) {
    Decision decision = decide(charge);
    assertThat(decision).isInstanceOf(Denied.class);
    return (Denied) decision;
  }

  private Decision decide(Charge charge) {
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }
}
