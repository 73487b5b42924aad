package io.weir.state.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import io.weir.core.lease.LeaseReport;
import io.weir.state.lease.RedisLeases.Answer.Granted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node tells the callers that a leased bucket denies. */
final class PoolLevelTest {
  private static final long SECOND = 1_000_000;

  @ParameterizedTest
  @ValueSource(longs = {1, 10, 60, 3600, 86_400, 2_592_000})
  void tenCallersOfOneInstantAreToldTenTimes(long seconds) {
    Bucket bucket = new Bucket("logins", Scope.KEY, new Rate(1, seconds * SECOND), seconds * 1000);
    PoolLevel level = new PoolLevel(bucket);
    level.take(bucket.capacityUnits(), 0);
    List<Long> waits = new ArrayList<>();
    for (int caller = 1; caller <= 10; caller++) {
      long wait = level.waitMicros(bucket.capacityUnits(), 1, 0, 0);
      level.denied(wait, 0);
      waits.add(wait);
    }
    assertThat(waits).isSorted().doesNotHaveDuplicates();
    assertThat(waits.get(9)).isBetween(10 * seconds * SECOND, 11 * seconds * SECOND);
  }

  // Many callers with a large cost do not make a node ask Redis for each of them.
  @Test
  void savedUnitsAreAskedForOnceAndNotBeforeTheNextReportMayBeMade() {
    PoolLevel level = new PoolLevel(new Bucket("b", Scope.KEY, 200_000, 1000));
    long every = HeldUnits.REPORT_EVERY_NANOS;
    level.reported(
        new LeaseReport("n", 1, 0, 0, 0, 120, 120, 120), new Granted(0, 0, 81, 1, 2, 0), 0, 0);
    assertThat(level.isSavedFor(120, 0, every - 1)).isFalse();
    assertThat(level.isSavedFor(119, 0, every)).isFalse();
    assertThat(level.isSavedFor(120, 0, every)).isTrue();
    assertThat(level.isSavedFor(120, every, every + 1)).isFalse();
  }
}
