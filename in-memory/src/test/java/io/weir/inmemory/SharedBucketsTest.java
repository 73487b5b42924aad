package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Admission;
import io.weir.inmemory.Crowd.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Callers with tickets of several keys that share a bucket ask twice, as those of one key do. */
final class SharedBucketsTest {
  private static final int SEEDS = 3;

  // At most so many of all callers of three runs.
  @ParameterizedTest(name = "{0} keys, {1} callers, {2} milliops/s")
  @CsvSource({
    "1, 40, 10000, 0",
    "1, 200, 10000, 0",
    "2, 40, 10000, 0",
    "2, 100, 10000, 0",
    "2, 200, 10000, 0",
    "4, 40, 10000, 0",
    "4, 100, 10000, 0",
    "4, 200, 10000, 1",
    "10, 40, 10000, 5",
    "10, 100, 10000, 6",
    "10, 200, 10000, 9",
    "60, 100, 10000, 0",
    "60, 200, 10000, 0",
    "4, 400, 100000, 0"
  })
  void nobodyComesAThirdTime(int keys, int callers, long milliOps, long most) {
    long third = 0;
    double last = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Crowd crowd = new Crowd(Scope.TENANT, milliOps, 1000, SlotMode.RESERVE, seed);
      for (int i = 0; i < callers; i++) {
        crowd.comes(crowd.random.nextLong(1000), Crowd.polite("k" + i % keys, true));
      }
      assertThat(crowd.run(120).admissions).hasSize(callers);
      third += crowd.admissions.stream().filter(one -> one.attempt() > 2).count();
      last = Math.max(last, crowd.last());
    }
    assertThat(third).isLessThanOrEqualTo(most);
    assertThat(last).isLessThanOrEqualTo((callers * 1000.0 / milliOps - 1) * 1.05 + 0.2);
  }

  // Those that come last get no place at times that others were told, nor does a flood of another
  // key.
  @ParameterizedTest(name = "{0} keys, {1} times the limit by another one, tickets: {2}")
  @CsvSource({"2, 0, false, 0", "10, 0, false, 9", "2, 10, true, 3", "10, 10, true, 60"})
  void callersOfOneSecondComeTwice(int keys, int flood, boolean tickets, long most) {
    long third = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Crowd crowd = new Crowd(Scope.TENANT, 10_000, 1000, SlotMode.RESERVE, seed);
      for (int i = 0; i < 200; i++) {
        crowd.comes(crowd.random.nextLong(1_000_000), Crowd.polite("k" + i % keys, true));
      }
      if (flood > 0) {
        crowd.even(10 * flood, 30, new Caller("flood", tickets, Crowd.NEVER));
      }
      crowd.run(120);
      assertThat(crowd.admitted("k")).isEqualTo(200);
      third += crowd.admissions.stream().filter(SharedBucketsTest::isThird).count();
    }
    assertThat(third).isLessThanOrEqualTo(most);
  }

  @ParameterizedTest(name = "{0} keys, {1} callers")
  @CsvSource({"2, 20, 0", "4, 20, 0", "4, 40, 25"})
  void aFloodOfAnotherKeyDelaysNobodyWithinItsShare(int keys, int callers, long most) {
    long third = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Crowd crowd = new Crowd(Scope.TENANT, 10_000, 1000, SlotMode.RESERVE, seed);
      for (int i = 0; i < callers; i++) {
        crowd.comes(crowd.random.nextLong(1000), Crowd.polite("k" + i % keys, true));
      }
      crowd.even(50, 30, new Caller("flood", true, Crowd.NEVER));
      crowd.run(60);
      assertThat(crowd.admitted("k")).isEqualTo(callers);
      third += crowd.admissions.stream().filter(SharedBucketsTest::isThird).count();
    }
    assertThat(third).isLessThanOrEqualTo(most);
  }

  private static boolean isThird(Admission one) {
    return one.caller().key().startsWith("k") && one.attempt() > 2;
  }
}
