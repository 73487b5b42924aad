package io.weir.state.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.kind.CalendarPeriods;
import io.weir.core.kind.CalendarPeriods.Period;
import io.weir.core.kind.Extras;
import io.weir.core.kind.FixedPeriods;
import io.weir.core.kind.Hold;
import io.weir.core.kind.KindDemand;
import io.weir.core.kind.Permits;
import io.weir.core.kind.Quota;
import io.weir.core.policy.FailureMode;
import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.slot.SlotMode;
import io.weir.core.slot.TicketRequest;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Ending;
import io.weir.core.throttle.Held;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A refund without a reservation gives back never more than is in use, and operations that are over are taken beyond the
 * limit.
 */
@ExtendWith(RedisFixture.class)
final class RedisCorrectionsIT {
  private static final long SECOND = 1_000_000;
  private static final Demand TEN = Demand.of(new Bucket("ten", Scope.KEY, 10_000, 10_000));
  private static final KindDemand HUNDRED = new Quota(
      "hundred", Scope.KEY, 100, new FixedPeriods(60_000, false), false, 80, false, false);
  private static final Limited RATE = new Limited(List.of(TEN), List.of());
  private static final Limited QUOTA = new Limited(List.of(), List.of(HUNDRED));
  private static final Limited BOTH = new Limited(List.of(TEN), List.of(HUNDRED));

  private static RedisConnections connections;

  private final ManualClock clock = new ManualClock();
  private RedisBucketStore store;
  private RedisCorrections refunds;

  @BeforeAll
  static void connect(RedisConnections opened) {
    connections = opened;
  }

  @BeforeEach
  void empty() {
    connections.sync().flushall();
    store = RedisBucketStore.rehearsing(connections, clock);
    refunds = new RedisCorrections(connections, StoreClock.of(clock));
  }

  private Decision ask(Limited limit, long cost, Optional<Hold> hold) {
    Charge charge = new Charge(
        "t",
        "k",
        1,
        new Amount(limit.demands(), cost, new Extras(limit.others(), hold)),
        new Queueing(SlotMode.OFF, TicketRequest.NONE),
        FailureMode.DENY);
    return ((Decided) store.tryCharge(charge).toCompletableFuture().join()).decision();
  }

  private Decision ask(Limited limit, long cost) {
    return ask(limit, cost, Optional.empty());
  }

  private List<Long> refund(Limited limit, long operations) {
    return refunds.refund("t", "k", limit, operations).toCompletableFuture().join();
  }

  private static long units(long operations) {
    return operations * TEN.unitsPerOperation();
  }

  @Test
  void asMuchIsGivenBackAsIsInUse() {
    assertThat(ask(BOTH, 30)).isInstanceOf(Allowed.class);
    assertThat(refund(BOTH, 10)).containsExactly(units(10), 10L);
    assertThat(ask(RATE, 81)).isInstanceOf(Denied.class);
    assertThat(refund(BOTH, Long.MAX_VALUE)).containsExactly(units(20), 20L);
    assertThat(refund(BOTH, 1)).containsExactly(0L, 0L);
    assertThat(ask(BOTH, 100)).isInstanceOf(Allowed.class);
    assertThat(ask(RATE, 1)).isInstanceOf(Denied.class);
    assertThat(ask(QUOTA, 1)).isInstanceOf(Denied.class);
  }

  @Test
  void nothingIsMadeForAnOwnerWithoutAnyUse() {
    assertThat(refund(BOTH, 5)).containsExactly(0L, 0L);
    assertThat(connections.sync().keys("weir:*t:*")).isEmpty();
  }

  @Test
  void whatHasDrainedOrBelongsToAnEarlierPeriodIsNotGivenBack() {
    clock.advance(60 * SECOND - clock.getAsLong() % (60 * SECOND));
    assertThat(ask(BOTH, 50)).isInstanceOf(Allowed.class);
    clock.advance(3 * SECOND);
    assertThat(refund(BOTH, 50)).containsExactly(units(20), 50L);
    assertThat(ask(BOTH, 50)).isInstanceOf(Allowed.class);
    clock.advance(60 * SECOND);
    assertThat(refund(BOTH, 50)).containsExactly(0L, 0L);
  }

  @Test
  void aReservationGivesNothingBackASecondTime() {
    Hold hold = new Hold("r1", "Ask:5", 60 * SECOND, true, true);
    assertThat(ask(RATE, 50, Optional.of(hold))).isInstanceOf(Allowed.class);
    assertThat(refund(RATE, 50)).containsExactly(units(50));
    assertThat(ask(RATE, 100)).isInstanceOf(Allowed.class);
    new RedisHolds(connections, StoreClock.of(clock))
        .end(new Held("t", "k", "r1", true, 60 * SECOND, List.of()), new Ending.Cancelled())
        .toCompletableFuture()
        .join();
    assertThat(ask(RATE, 1)).isInstanceOf(Denied.class);
  }

  @Test
  void aDebtIsNotForgiven() {
    Hold hold = new Hold("r1", "Ask:5", 60 * SECOND, true, true);
    assertThat(ask(RATE, 50, Optional.of(hold))).isInstanceOf(Allowed.class);
    new RedisHolds(connections, StoreClock.of(clock))
        .end(new Held("t", "k", "r1", true, 60 * SECOND, List.of()), new Ending.Settled(150))
        .toCompletableFuture()
        .join();
    assertThat(refund(RATE, 10)).containsExactly(units(10));
    // 40 above the burst, of which ten drain each second.
    clock.advance(4 * SECOND);
    assertThat(ask(RATE, 1)).isInstanceOf(Denied.class);
    clock.advance(SECOND / 10);
    assertThat(ask(RATE, 1)).isInstanceOf(Allowed.class);
  }

  // The same bucket by its name and rate: what it held above the new burst is forgiven, and stays
  // so.
  @Test
  void aLowerBurstIsNotOwedByARefund() {
    Limited shorter =
        new Limited(List.of(Demand.of(new Bucket("ten", Scope.KEY, 10_000, 1_000))), List.of());
    assertThat(ask(RATE, 100)).isInstanceOf(Allowed.class);
    assertThat(refund(shorter, 1)).containsExactly(units(1));
    assertThat(ask(shorter, 1)).isInstanceOf(Allowed.class);
    assertThat(ask(shorter, 1)).isInstanceOf(Denied.class);
    Limited faster =
        new Limited(List.of(Demand.of(new Bucket("ten", Scope.KEY, 20_000, 1_000))), List.of());
    assertThat(refund(faster, 5)).hasSize(1);
    assertThat(ask(faster, 5)).isInstanceOf(Allowed.class);
    assertThat(ask(faster, 1)).isInstanceOf(Denied.class);
  }

  @Test
  void aRefundThatRedisGetsAfterItsTimeoutDoesNothing(RedisDatabase database) {
    Limited day = new Limited(
        List.of(),
        List.of(new Quota(
            "day", Scope.KEY, 100, new FixedPeriods(86_400_000, false), false, 80, false, false)));
    store = RedisBucketStore.of(connections, () -> false);
    assertThat(ask(day, 50)).isInstanceOf(Allowed.class);
    try (RedisConnections impatient =
        RedisConnections.open(database.uri(), Duration.ofSeconds(2))) {
      RedisCorrections late = new RedisCorrections(impatient);
      // It knows Redis's clock from the first answer.
      await()
          .ignoreExceptions()
          .until(() -> late.refund("t", "other", day, 1).toCompletableFuture().join() != null);
      connections.sync().clientPause(4000);
      CompletableFuture<?> refunded = late.refund("t", "k", day, 50).toCompletableFuture();
      assertThatThrownBy(refunded::join).hasCauseInstanceOf(StoreUnavailableException.class);
      refunds = new RedisCorrections(connections);
      assertThat(refund(day, 50)).containsExactly(50L);
    }
  }

  @Test
  void onlyRatesAndQuotasOfAKeyThatCountOperationsAreGivenBack() {
    Limited ofTenant =
        new Limited(List.of(Demand.of(new Bucket("ten", Scope.TENANT, 10_000, 10_000))), List.of());
    Limited permits = new Limited(List.of(), List.of(new Permits("p", Scope.KEY, 5, SECOND)));
    for (Limited wrong : List.of(ofTenant, permits)) {
      assertThatThrownBy(() -> refund(wrong, 1)).hasMessageContaining("expected: rates and quotas");
    }
    assertThatThrownBy(() -> refund(RATE, 0)).hasMessageContaining("operations: 0");
  }

  private void owe(Limited limit, long operations) {
    refunds.owe("t", "k", limit, operations).toCompletableFuture().join();
  }

  @Test
  void operationsThatAreOverAreTakenBeyondTheLimit() {
    clock.advance(60 * SECOND - clock.getAsLong() % (60 * SECOND));
    owe(BOTH, 60);
    assertThat(ask(BOTH, 41)).isInstanceOf(Denied.class);
    owe(BOTH, 70);
    // 30 above the burst, of which ten drain each second.
    clock.advance(3 * SECOND);
    assertThat(ask(RATE, 1)).isInstanceOf(Denied.class);
    clock.advance(SECOND / 10);
    assertThat(ask(RATE, 1)).isInstanceOf(Allowed.class);
    assertThat(ask(QUOTA, 1)).isInstanceOf(Denied.class);
    clock.advance(60 * SECOND);
    assertThat(ask(QUOTA, 100)).isInstanceOf(Allowed.class);
  }

  @Test
  void aDebtIsThatOfThePresentRate() {
    Limited faster =
        new Limited(List.of(Demand.of(new Bucket("ten", Scope.KEY, 20_000, 10_000))), List.of());
    owe(RATE, 50);
    owe(faster, 2000);
    // 100 of 50 at the former rate, so 1900 above the burst of 200, of which twenty drain each
    // second.
    assertThat(refund(faster, 1)).hasSize(1);
    clock.advance(94 * SECOND);
    assertThat(ask(faster, 1)).isInstanceOf(Denied.class);
    clock.advance(2 * SECOND);
    assertThat(ask(faster, 1)).isInstanceOf(Allowed.class);
  }

  @Test
  void aDebtOfAMonthIsForgottenWithTheMonth() {
    Quota month = new Quota(
        "month",
        Scope.KEY,
        10,
        new CalendarPeriods(Period.MONTH, ZoneOffset.UTC, 1),
        false,
        80,
        false,
        false);
    Limited limit = new Limited(List.of(), List.of(month));
    owe(limit, Long.MAX_VALUE);
    owe(limit, Long.MAX_VALUE);
    assertThat(ask(limit, 1)).isInstanceOf(Denied.class);
    clock.advance(32 * 86_400 * SECOND);
    assertThat(ask(limit, 10)).isInstanceOf(Allowed.class);
    assertThat(ask(limit, 1)).isInstanceOf(Denied.class);
  }

  @Test
  void inAnyOrderTheLevelIsThatOfABucketThatGivesBackAndOwes() {
    Random random = new Random(Histories.firstSeed());
    long level = 0;
    for (int step = 0; step < 3000; step++) {
      long elapsed = random.nextInt(3) == 0 ? 0 : random.nextInt(1_500_000);
      clock.advance(elapsed);
      level = Math.max(0, level - elapsed * TEN.bucket().unitsPerMicro());
      long operations = 1L + random.nextInt(60);
      if (random.nextInt(5) == 0) {
        owe(RATE, operations);
        level += units(operations);
      } else if (random.nextBoolean()) {
        boolean fits = level + units(operations) <= TEN.bucket().capacityUnits();
        assertThat(ask(RATE, operations)).isInstanceOf(fits ? Allowed.class : Denied.class);
        level += fits ? units(operations) : 0;
      } else {
        long given = Math.min(level, units(operations));
        assertThat(refund(RATE, operations)).as("step %d", step).containsExactly(given);
        level -= given;
      }
    }
  }
}
