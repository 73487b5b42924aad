package io.weir.inmemory;

import static io.weir.inmemory.Crowd.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Admission;
import io.weir.inmemory.Crowd.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Callers at a short limit and at a long one, such as 10 per second and 1,000 per hour: a caller that has waited for
 * the one is a newcomer at the other.
 */
final class TwoLimitsTest {
  private static final long NETWORK = 2000;

  // Each row: milliseconds of an operation and the burst of the short limit, the same of the long
  // one.
  @ParameterizedTest
  @CsvSource({
    "KEY, 100, 100, 3600, 1000",
    "TENANT, 100, 100, 3600, 1000",
    "KEY, 1000, 60, 12000, 300",
    "TENANT, 1000, 60, 12000, 300",
    "KEY, 60000, 1, 720000, 5",
    "TENANT, 60000, 1, 720000, 5"
  })
  void callersWaitOnceForEachLimit(
      Scope scope, long shortMillis, long shortBurst, long longMillis, long longBurst) {
    Demand ofShort = demand("short", Scope.KEY, shortMillis, shortBurst);
    Demand ofLong = demand("long", scope, longMillis, longBurst);
    Crowd crowd = new Crowd(Scope.KEY, 1000, 1000, SlotMode.RESERVE, 1);
    int callers = (int) Math.max(40, 2 * longBurst);
    for (int i = 0; i < callers; i++) {
      Caller caller = new Caller("k1", true, Crowd.asTold(NETWORK)).demanding(ofShort, ofLong);
      crowd.comes(crowd.random.nextLong(1000), caller);
    }
    long ideal = (callers - longBurst) * longMillis / 1000;
    crowd.run(2 * ideal);

    assertThat(crowd.admissions).hasSize(callers);
    assertThat(crowd.last()).isLessThan(1.05 * ideal);
    assertThat(crowd.brokenPromises).isZero();
    assertThat(crowd.admissions.stream().mapToInt(Admission::attempt).average().orElseThrow())
        .as("the burst asks once; others wait for the short limit, most of them for the long one")
        .isLessThanOrEqualTo(3.05);
  }

  // 40 callers; a tenant's limit that is never full beside the key's does not hold them up.
  @ParameterizedTest
  @CsvSource({"1000, 10", "60000, 10", "1000, 100"})
  void aSharedLimitOfTheSameRateThatHasRoomLeavesPlacesToOneKey(long millis, long burst) {
    Demand ofKey = demand("key", Scope.KEY, millis, 1);
    Demand ofTenant = demand("tenant", Scope.TENANT, millis, burst);
    Crowd crowd = new Crowd(Scope.KEY, 1000, 1000, SlotMode.RESERVE, 1);
    for (int i = 0; i < 40; i++) {
      Caller caller = new Caller("k1", true, Crowd.asTold(NETWORK)).demanding(ofKey, ofTenant);
      crowd.comes(crowd.random.nextLong(1000), caller);
    }
    crowd.run(millis);

    assertThat(crowd.admissions).hasSize(40);
    assertThat(crowd.last()).isLessThan(1.05 * 39 * millis / 1000);
    assertThat(crowd.brokenPromises).isZero();
    assertThat(crowd.attempts).isLessThanOrEqualTo(2 * 40);
  }

  @ParameterizedTest
  @CsvSource({"1000, 2", "1000000, 2"})
  void callersOfWholeSecondsAreNotPromisedWhatASharedLimitCannotKeep(long spread, int broken) {
    Demand ofKey = demand("key", Scope.KEY, 1000, 10);
    Demand ofTenant = demand("tenant", Scope.TENANT, 1000, 1);
    Crowd crowd = new Crowd(Scope.KEY, 1000, 1000, SlotMode.RESERVE, 1);
    for (int i = 0; i < 40; i++) {
      Caller caller =
          new Caller("k1", false, Crowd.wholeSeconds(NETWORK)).demanding(ofKey, ofTenant);
      crowd.comes(crowd.random.nextLong(spread), caller);
    }
    crowd.run(100);

    assertThat(crowd.admissions).hasSize(40);
    assertThat(crowd.brokenPromises).as("of %d", crowd.promisedReturns).isLessThanOrEqualTo(broken);
    assertThat(crowd.attempts).isLessThan(3 * 40);
  }

  // Each row: keys, the milliseconds of an operation and the burst of each, the same of their
  // tenant; callers, of the ideal time the part until the last admission, and the attempts, at
  // most.
  @ParameterizedTest
  @CsvSource({
    "4, 1000, 1, 250, 1, 40, 1.6, 3.5",
    "4, 1000, 1, 500, 1, 40, 1.2, 3.5",
    "10, 1000, 1, 100, 1, 100, 1.8, 3.9",
    "10, 1000, 1, 200, 10, 100, 1.1, 2.9",
    "4, 60000, 1, 15000, 1, 40, 1.5, 3.5",
    "3, 10, 100, 2, 1500, 3000, 1.1, 2"
  })
  void keysThatFillTheirTenantsBucketAreNotPromisedWhatItDoesNotHold(
      int keys,
      long keyMillis,
      long keyBurst,
      long millis,
      long burst,
      int callers,
      double last,
      double attempts) {
    Demand ofKey = demand("key", Scope.KEY, keyMillis, keyBurst);
    Demand ofTenant = demand("tenant", Scope.TENANT, millis, burst);
    Crowd crowd = new Crowd(Scope.KEY, 1000, 1000, SlotMode.RESERVE, 1);
    for (int i = 0; i < callers; i++) {
      Caller caller =
          new Caller("k" + i % keys, true, Crowd.asTold(NETWORK)).demanding(ofKey, ofTenant);
      crowd.comes(crowd.random.nextLong(1000), caller);
    }
    double ideal =
        Math.max((callers / keys - keyBurst) * keyMillis, (callers - burst) * millis) / 1000.0;
    crowd.run((long) (4 * ideal));

    assertThat(crowd.admissions).hasSize(callers);
    assertThat(crowd.last()).isLessThan(last * ideal);
    assertThat(crowd.attempts).isLessThan((long) (attempts * callers));
    assertThat(crowd.brokenPromises)
        .as("of %d", crowd.promisedReturns)
        .isLessThanOrEqualTo(crowd.promisedReturns / 20);
  }

  private static Demand demand(String name, Scope scope, long millis, long burst) {
    return Demand.of(new Bucket(name, scope, new Rate(1, millis * SECOND / 1000), burst * millis));
  }
}
