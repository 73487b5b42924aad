package io.weir.state.degraded;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.throttle.Charge;
import io.weir.state.degraded.LocalShare.Agreement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LocalShareTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Demand HUNDRED = demand("requests", Scope.KEY, 100_000, 1000);

  private final AtomicLong clock = new AtomicLong();
  private final LastLevels levels = new LastLevels();
  private int nodes = 3;
  private final LocalShare local = new LocalShare(clock::get, () -> nodes, levels, 1);

  @ParameterizedTest(name = "{0} nodes")
  @CsvSource({"1, 1001", "3, 334", "7, 143"})
  void aNodeAdmitsItsShareOfTheRate(int alive, int expected) {
    nodes = alive;
    assertThat(admitted(charge("k1", HUNDRED, 1), 10_000)).isBetween(expected - 1, expected + 1);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1000000000", // an operation in a million seconds
    "300000000, 1000", // 300,000/s: more than a token a microsecond
    "1000000000, 1000"
  })
  void everyRateThatAPolicyMayHaveIsKept(long milliOpsPerSec, long burstMillis) {
    Charge charge = charge("k1", demand("requests", Scope.KEY, milliOpsPerSec, burstMillis), 1);
    int admitted = 0;
    for (int i = 0; i < 1000; i++) {
      admitted += local.decide(charge).decision() instanceof Allowed ? 1 : 0;
      clock.addAndGet(1000); // a millisecond in all
    }
    long share = milliOpsPerSec / 1_000_000 / 3;
    assertThat((long) admitted).isBetween(Math.min(1, share), share + 2);
  }

  @Test
  void itBeginsWithHalfOfWhatIsKnownToBeFreeAndWithOneWhereNothingIs() {
    Charge known = charge("k1", HUNDRED, 1);
    levels.note(known, decision(known, 0), 0);
    assertThat(admittedAtOnce(known)).isEqualTo(16); // of a third of a hundred
    Charge full = charge("k2", HUNDRED, 1);
    levels.note(full, decision(full, HUNDRED.bucket().capacityUnits()), 0);
    assertThat(admittedAtOnce(full)).isZero();
    assertThat(admittedAtOnce(charge("k3", HUNDRED, 1))).isEqualTo(1);
  }

  @Test
  void allBucketsOfARequestOrNone() {
    Demand tenant = demand("tenant", Scope.TENANT, 3_000, 1000); // one operation for this node
    Charge both = new Charge("acme", "k1", 1, List.of(HUNDRED, tenant), 1);
    assertThat(local.decide(both).decision()).isInstanceOf(Allowed.class);
    clock.addAndGet(100 * MILLI); // three more for the key's bucket, none for the tenant's
    assertThat(((Denied) local.decide(both).decision()).full()).containsExactly("tenant");
    assertThat(admittedAtOnce(charge("k1", HUNDRED, 1))).isEqualTo(3);
  }

  @Test
  void everyCallerGetsADifferentTimeAndNoPromise() {
    Charge charge = charge("k1", HUNDRED, 1);
    List<Long> waits = new ArrayList<>();
    local.decide(charge);
    for (int i = 0; i < 100; i++) {
      Denied denied = (Denied) local.decide(charge).decision();
      assertThat(denied.estimate()).isTrue();
      assertThat(denied.degraded()).isTrue();
      waits.add(denied.retryAfterMicros());
    }
    assertThat(new HashSet<>(waits)).hasSize(100);
    assertThat(waits).isSorted().allMatch(wait -> wait > 0 && wait <= 10_000_000);
  }

  @ParameterizedTest(name = "{0} operations in {1} s, cost {2}")
  @CsvSource({"1, 10, 1", "1, 60, 1", "1, 3600, 1", "1, 86400, 1", "1, 2592000, 1", "100, 60, 90"})
  void callersOfSlowLimitsAndOfLargeCostsGetDifferentTimes(long burst, long seconds, int cost) {
    Rate rate = new Rate(burst, TimeUnit.SECONDS.toMicros(seconds));
    Charge charge =
        charge("k1", Demand.of(new Bucket("slow", Scope.KEY, rate, seconds * 1000)), cost);
    long share = TimeUnit.SECONDS.toMicros(seconds) * cost / burst * nodes;
    local.decide(charge);
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waits.add(((Denied) local.decide(charge).decision()).retryAfterMicros());
    }
    assertThat(new HashSet<>(waits)).hasSize(10);
    assertThat(waits).isSorted().allMatch(wait -> wait > 0 && wait <= 11 * share);
  }

  @Test
  void aCostThatNoBucketHoldsIsNeverAllowed() {
    assertThat(local.decide(charge("k1", HUNDRED, 101)).decision())
        .isInstanceOf(NeverAllowed.class);
    // A charge that only the shared bucket can hold has to wait for it.
    assertThat(local.decide(charge("k1", HUNDRED, 90)).decision()).isInstanceOf(Denied.class);
  }

  @Test
  void whenTheSharedStateIsBackNoBurstPassesForTwiceTheBurstPeriod() {
    Charge charge = charge("k1", HUNDRED, 1);
    admitted(charge, 5000);
    local.handOver();
    int agreed = 0;
    for (int i = 0; i < 1990; i++) {
      agreed += local.agree(charge).denied().isEmpty() ? 1 : 0;
      clock.addAndGet(MILLI);
    }
    assertThat(agreed).isBetween(64, 68);
    clock.addAndGet(20 * MILLI);
    for (int i = 0; i < 100; i++) {
      assertThat(local.agree(charge).denied()).isEmpty();
    }
  }

  @Test
  void aDenialOfTheSharedStateGivesTheCostBack() {
    Charge charge = charge("k1", HUNDRED, 1);
    local.decide(charge);
    clock.addAndGet(30 * MILLI);
    local.handOver();
    Agreement agreement = local.agree(charge);
    assertThat(agreement.denied()).isEmpty();
    local.takeBack(charge, agreement);
    assertThat(local.agree(charge).denied()).isEmpty();
    assertThat(local.agree(charge).denied()).isPresent();
  }

  @Test
  void onlyWhatWasTakenIsGivenBack() {
    Charge charge = charge("k1", HUNDRED, 1);
    local.handOver();
    Agreement before = local.agree(charge); // nothing is counted locally yet
    local.decide(charge);
    for (int i = 0; i < 50; i++) {
      local.takeBack(charge, before);
    }
    assertThat(local.decide(charge).decision()).isInstanceOf(Denied.class);
  }

  @Test
  void bucketsOfAnotherOutageAreForgotten() {
    nodes = 1;
    Charge charge = charge("k1", HUNDRED, 1);
    local.decide(charge);
    clock.addAndGet(TimeUnit.HOURS.toNanos(1));
    nodes = 3;
    // Not the whole limit, full after an hour.
    assertThat(admittedAtOnce(charge)).isEqualTo(1);
    assertThat(admitted(charge, 3000)).isBetween(99, 101);
  }

  @Test
  void aHandOverDeniesNoUncountedKeyAndEndsAfterAWhile() {
    local.decide(charge("k1", HUNDRED, 1));
    assertThat(local.isHandingOver()).isFalse();
    local.handOver();
    assertThat(local.isHandingOver()).isTrue();
    for (int i = 0; i < 50; i++) {
      assertThat(local.agree(charge("k2", HUNDRED, 1)).denied()).isEmpty();
    }
    clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
    assertThat(local.agree(charge("k2", HUNDRED, 1)).denied()).isEmpty();
    assertThat(local.isHandingOver()).isFalse();
  }

  // One charge each millisecond.
  private int admitted(Charge charge, int millis) {
    int admitted = 0;
    for (int i = 0; i < millis; i++) {
      admitted += local.decide(charge).decision() instanceof Allowed ? 1 : 0;
      clock.addAndGet(MILLI);
    }
    return admitted;
  }

  private int admittedAtOnce(Charge charge) {
    int admitted = 0;
    while (local.decide(charge).decision() instanceof Allowed) {
      admitted++;
    }
    return admitted;
  }

  private static Decision decision(Charge charge, long used) {
    return charge.verdict().decision(Outcome.ALLOWED, new long[] {used}, Wait.NONE);
  }

  private static Charge charge(String subject, Demand demand, long cost) {
    return new Charge("acme", subject, 1, List.of(demand), cost);
  }

  private static Demand demand(String name, Scope scope, long milliOpsPerSec, long burstMillis) {
    return Demand.of(new Bucket(name, scope, milliOpsPerSec, burstMillis));
  }
}
