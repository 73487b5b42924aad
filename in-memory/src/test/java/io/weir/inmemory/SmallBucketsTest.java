package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small buckets and large costs give what they have: callers that ask again at once after each admission, and otherwise
 * return as they are told, use the limit. Bursts of one second.
 */
final class SmallBucketsTest {
  private static final long SECONDS = 120;
  private static final long NETWORK = 3000;

  @ParameterizedTest(name = "{0} milliops/s, cost {1}: {2} callers within {3} us")
  @CsvSource({
    "1000, 1, 3, 1000, 0.99", "1000, 1, 3, 1000000, 0.99",
    "1000, 1, 30, 1000, 0.99", "1000, 1, 30, 1000000, 0.99",
    "10000, 10, 3, 1000, 0.99", "10000, 10, 3, 1000000, 0.99",
    "10000, 10, 30, 1000, 0.99", "10000, 10, 30, 1000000, 0.99",
    "10000, 6, 3, 1000000, 0.80", "10000, 6, 30, 1000000, 0.99",
    "100000, 51, 3, 1000000, 0.94", "100000, 51, 30, 1000000, 0.97",
    "2000, 1, 3, 1000, 0.99", "2000, 1, 3, 1000000, 0.99",
    "2000, 1, 30, 1000, 0.99", "2000, 1, 30, 1000000, 0.99",
    "5000, 1, 30, 1000, 0.99", "10000, 1, 30, 1000, 0.99",
    // All callers come in the same part of a second: of each second there is a use for one cost.
    "10000, 6, 3, 1000, 0.59", "10000, 6, 30, 1000, 0.59",
    "100000, 51, 3, 1000, 0.50", "100000, 51, 30, 1000, 0.50"
  })
  void callersThatWaitWholeSecondsUseTheLimit(
      long milliOps, long cost, int callers, long spread, double least) {
    Crowd crowd = crowd(milliOps, cost);
    for (int i = 0; i < callers; i++) {
      crowd.comes(
          crowd.random.nextLong(spread),
          new Caller("k", false, Crowd.wholeSeconds(NETWORK)).again(1000));
    }
    assertThat(crowd.run(SECONDS).used(0, SECONDS)).isGreaterThanOrEqualTo(least);
    assertThat(attempts(crowd)).isLessThanOrEqualTo(3.5);
  }

  @ParameterizedTest(name = "{0} milliops/s, cost {1}: {2} callers")
  @CsvSource({
    "1000, 1, 3, 0.93", "1000, 1, 30, 0.93", "10000, 10, 3, 0.93", "10000, 10, 30, 0.93",
    "10000, 6, 3, 0.99", "10000, 6, 30, 0.99", "100000, 51, 3, 0.99", "100000, 51, 30, 0.99",
    "2000, 1, 3, 0.99", "2000, 1, 30, 0.99", "10000, 1, 3, 0.99", "10000, 1, 30, 0.99"
  })
  void callersWithTicketsUseTheLimit(long milliOps, long cost, int callers, double least) {
    Crowd crowd = crowd(milliOps, cost);
    for (int i = 0; i < callers; i++) {
      crowd.comes(
          crowd.random.nextLong(1000), new Caller("k", true, Crowd.asTold(NETWORK)).again(1000));
    }
    assertThat(crowd.run(SECONDS).used(0, SECONDS)).isGreaterThanOrEqualTo(least);
    assertThat(crowd.brokenPromises).isZero();
  }

  @ParameterizedTest(name = "{0} milliops/s, cost {1}")
  @CsvSource({
    "1000, 1, 30.1, 2",
    "10000, 10, 30.1, 2",
    "10000, 6, 17.3, 2",
    "100000, 51, 14.5, 2",
    "2000, 1, 14.2, 2",
    "10000, 1, 2.2, 1.8"
  })
  void thirtyCallersWithTicketsAreDoneAsSoonAsTheLimitAllows(
      long milliOps, long cost, double last, double attempts) {
    Crowd crowd = crowd(milliOps, cost);
    for (int i = 0; i < 30; i++) {
      crowd.comes(crowd.random.nextLong(1000), new Caller("k", true, Crowd.asTold(NETWORK)));
    }
    assertThat(crowd.run(600).admissions).hasSize(30);
    assertThat(crowd.last()).isLessThanOrEqualTo(last);
    assertThat(attempts(crowd)).isLessThanOrEqualTo(attempts);
    assertThat(crowd.brokenPromises).isZero();
  }

  private static Crowd crowd(long milliOps, long cost) {
    return new Crowd(new Bucket("b", Scope.KEY, milliOps, 1000), cost, SlotMode.RESERVE, 1);
  }

  private static double attempts(Crowd crowd) {
    return (double) crowd.attempts / crowd.admissions.size();
  }
}
