package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.lease.LeaseReport;
import io.weir.inmemory.LeasePool.Granted;
import io.weir.testkit.LeaseRace;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LeasePoolTest {
  // 1000 units, one of which drains each microsecond.
  private static final Bucket BUCKET = new Bucket("b", Scope.CLUSTER, 1, 1);
  private static final long LEASE = 100;

  private final Map<String, Long> heard = new HashMap<>();
  private LeasePool pool = LeasePool.empty(BUCKET);

  @Test
  void lentUnitsDoNotDrainUntilTheyAreReported() {
    assertThat(ask("a", 1, 0, 0, 600, 0)).isEqualTo(600);
    assertThat(ask("b", 1, 0, 0, 600, 50)).isEqualTo(400);
    assertThat(pool.used()).isZero();
    assertThat(ask("a", 2, 600, 0, 1000, 60)).isZero();
    assertThat(pool.used()).isEqualTo(600);
    assertThat(ask("a", 3, 600, 0, 1000, 70)).isEqualTo(10);
  }

  @Test
  void aLeaseThatIsOverCountsAsSpentWhenItEnded() {
    ask("a", 1, 0, 0, 600, 0);
    assertThat(ask("b", 1, 0, 0, 1000, 300)).isEqualTo(1000 - (600 - 200));
  }

  @Test
  void aClockSetBackMakesThePoolStandStillForNoTime() {
    ask("a", 1, 0, 0, 600, 1_000_000);
    ask("b", 1, 0, 0, 300, 1_000_010);
    // An hour back: both leases last as long as before, and then everything drains as usual.
    assertThat(ask("c", 1, 0, 0, 1000, 50)).isEqualTo(100);
    assertThat(ask("c", 2, 100, 0, 0, 60)).isZero();
    assertThat(ask("c", 3, 100, 0, 1000, 70)).isEqualTo(10);
    assertThat(ask("d", 1, 0, 0, 1000, 50 + 90 + 1000)).isEqualTo(1000);
  }

  @Test
  void aPlaceGivenBackIsFreeAtOnce() {
    ask("a", 1, 0, 0, 1000, 0);
    ask("a", 2, 100, 0, 0, 10);
    assertThat(ask("b", 1, 0, 0, 1000, 10)).isEqualTo(900);
  }

  @Test
  void aReportThatWasOvertakenChangesNothing() {
    ask("a", 2, 0, 0, 500, 0);
    LeasePool before = pool;
    assertThat(ask("a", 1, 0, 0, 500, 1)).isEqualTo(-1);
    assertThat(pool).isEqualTo(before);
  }

  @Test
  void lessThanTheLeastIsNotGrantedAndTheWaitIsUntilThen() {
    ask("a", 1, 0, 0, 950, 0);
    ask("a", 2, 950, 0, 0, 0);
    Granted granted = pool.exchange(BUCKET, new LeaseReport("b", 1, 0, 0, 0, 80, 80, 0), LEASE, 10);
    assertThat(granted.granted()).isZero();
    assertThat(granted.waitMicros()).isEqualTo(20);
  }

  // An exact bucket admits 8 of the large costs in this time.
  @Test
  void aFloodOfSmallCostsDoesNotStarveALargeOne() {
    Bucket bucket = new Bucket("b", Scope.CLUSTER, 200_000, 1000);
    pool = LeasePool.empty(bucket);
    long large = 120 * bucket.unitsPerOperation();
    LeaseRace.Result result = new LeaseRace(bucket, large, (report, now) -> {
          Granted granted = pool.exchange(bucket, report, 200_000, now);
          pool = granted.pool();
          return new LeaseRace.Answer(granted.granted(), granted.waitMicros());
        })
        .run(1_000_000, 10);
    assertThat(result.larges()).isGreaterThanOrEqualTo(7);
    assertThat(result.asked()).isLessThanOrEqualTo(2 * result.larges() + 2);
    assertThat(result.smallUnits() / bucket.unitsPerOperation()).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void whoAskedInVainIsCountedForTheLengthOfALease() {
    ask("a", 1, 0, 0, 1000, 0);
    assertThat(holdersSeenBy("b", 10)).isEqualTo(2);
    assertThat(holdersSeenBy("c", 20)).isEqualTo(3);
    long aIsOver = LEASE + 5;
    assertThat(holdersSeenBy("d", aIsOver)).isEqualTo(3);
    assertThat(holdersSeenBy("d", aIsOver + LEASE - 1)).isEqualTo(1);
    assertThat(pool.out()).isZero();
  }

  @Test
  void whoDeniesItsCallersByWhatItKnowsIsCountedToo() {
    Bucket slow =
        new Bucket("slow", Scope.KEY, 10, 1_000_000); // units are saved for no wait of 100 s
    long one = slow.unitsPerOperation();
    LeasePool full = LeasePool.empty(slow)
        .exchange(slow, new LeaseReport("a", 1, 0, 0, 0, 10 * one, one, one), LEASE, 0)
        .pool();
    LeasePool told = full.exchange(slow, new LeaseReport("b", 1, 0, 0, 0, one, one, one), LEASE, 10)
        .pool()
        .exchange(slow, new LeaseReport("b", 2, 0, 0, 0, 0, 1, one), LEASE, 20)
        .pool();
    LeaseReport late = new LeaseReport("c", 1, 0, 0, 0, one, one, one);
    Granted seen = told.exchange(slow, late, LEASE, 30);
    assertThat(seen.holders()).isEqualTo(3);
    assertThat(seen.waitMicros())
        .isLessThanOrEqualTo(100_000_000); // those that wait tell it in turn
  }

  @Test
  void ofThoseWhoAskInVainABoundedNumberIsKept() {
    ask("a", 1, 0, 0, 1000, 0);
    for (int i = 1; i <= 100; i++) {
      assertThat(holdersSeenBy("b" + i, 10)).isEqualTo(Math.min(i + 1, 65));
    }
    assertThat(pool.shares()).hasSize(64);
  }

  private int holdersSeenBy(String holder, long nowMicros) {
    LeaseReport report = new LeaseReport(holder, nowMicros, 0, 0, 0, 1000, 1000, 0);
    Granted granted = pool.exchange(BUCKET, report, LEASE, nowMicros);
    assertThat(granted.granted()).isZero();
    pool = granted.pool();
    return granted.holders();
  }

  @Test
  void anotherRateCarriesTheTimeToDrainOver() {
    ask("a", 1, 0, 0, 500, 0);
    ask("a", 2, 200, 300, 0, 0);
    Bucket twice = new Bucket("b", Scope.CLUSTER, new Rate(2, 333), 1);
    LeasePool after = pool.exchange(twice, new LeaseReport("b", 1, 0, 0, 0, 0, 1, 0), LEASE, 0)
        .pool();
    assertThat(after.used()).isEqualTo(400);
    assertThat(after.out()).isEqualTo(601);
  }

  @Test
  void sumsThatHaveGoneRoundAreCountedOn() {
    LeaseReport before =
        new LeaseReport("a", 1, LeaseReport.MODULUS - 10, LeaseReport.MODULUS - 10, 0, 500, 1, 0);
    pool = pool.exchange(BUCKET, before, LEASE, 0).pool();
    LeaseReport after = new LeaseReport("a", 2, 25, LeaseReport.MODULUS - 10, 465, 0, 1, 0);
    pool = pool.exchange(BUCKET, after, LEASE, 0).pool();
    assertThat(pool.used()).isEqualTo(35);
  }

  @Test
  void theClockThatGoesBackDrainsNothing() {
    ask("a", 1, 0, 0, 500, 1000);
    ask("a", 2, 500, 0, 0, 1000);
    ask("a", 3, 500, 0, 0, 500);
    assertThat(pool.used()).isEqualTo(500);
    assertThat(pool.atMicros()).isEqualTo(500);
  }

  private long ask(
      String holder, long sequence, long spent, long keeps, long wants, long nowMicros) {
    long acknowledged = heard.getOrDefault(holder, 0L);
    heard.merge(holder, spent, Math::max);
    LeaseReport report = new LeaseReport(holder, sequence, spent, acknowledged, keeps, wants, 1, 0);
    Granted granted = pool.exchange(BUCKET, report, LEASE, nowMicros);
    pool = granted.pool();
    return granted.granted();
  }
}
