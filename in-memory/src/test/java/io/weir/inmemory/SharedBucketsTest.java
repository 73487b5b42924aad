package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
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

  // A bucket of one operation: what is left between two places is too little for anybody.
  @ParameterizedTest(name = "{0} times the limit by {1} keys, {2} other keys, one in {3} us")
  @CsvSource({
    "1.1, 1, 0, 1000000", "1.1, 3, 0, 1000000", "5, 1, 0, 1000000", "5, 3, 0, 1000000",
    "1.1, 1, 1, 1000000", "2, 1, 1, 1000000", "5, 1, 1, 1000000", "1.1, 3, 1, 1000000",
    "2, 1, 3, 1000000", "2, 3, 3, 1000000", "5, 3, 3, 1000000", "2, 3, 3, 60000000",
    "2, 1, 0, 100000", "2, 1, 1, 100000", "2, 1, 1, 3600000000"
  })
  void aBucketOfOneOperationIsUsedAndKeysWithinTheirShareComeTwice(
      double times, int flooding, int others, long everyMicros) {
    Bucket bucket = new Bucket("b", Scope.TENANT, new Rate(1, everyMicros), everyMicros / 1000);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    for (int i = 0; i < 600 * times; i++) {
      crowd.comes((long) (i * everyMicros / times), withTicket("f" + i % flooding));
    }
    for (int i = 0; i < 55 * others; i++) {
      double after = 20 + 10 * (i / others) + crowd.random.nextDouble();
      crowd.comes((long) (after * everyMicros), withTicket("q" + i % others));
    }
    long seconds = 600 * everyMicros / Crowd.SECOND;
    crowd.run(seconds);
    assertThat(crowd.used(0, seconds)).isGreaterThanOrEqualTo(0.9);
    if (others > 0) {
      assertThat(crowd.attempts("q")).isLessThanOrEqualTo(2.3);
      assertThat(crowd.waited("q", 1)).isLessThanOrEqualTo(12e-6 * everyMicros);
    }
  }

  // However the crowd waits, and however fast it comes, keys that ask for such a part of their
  // shares are all admitted.
  @ParameterizedTest(
      name =
          "{0} times the limit, tickets: {1}, {2} other keys, {4} of their shares, one in {3} us")
  @CsvSource({
    "2, true, 1, 1000000, 0.2",
    "20, true, 1, 1000000, 0.2",
    "2, false, 1, 1000000, 0.2",
    "20, false, 1, 1000000, 0.2",
    "2, true, 5, 1000000, 0.2",
    "20, true, 5, 1000000, 0.2",
    "2, false, 5, 1000000, 0.2",
    "20, false, 5, 1000000, 0.2",
    "2, true, 1, 60000000, 0.2",
    "20, true, 5, 60000000, 0.2",
    "20, false, 5, 3600000000, 0.2",
    "2, true, 1, 1000000, 0.5",
    "20, true, 1, 1000000, 0.5",
    "2, false, 1, 1000000, 0.5",
    "20, false, 1, 1000000, 0.5",
    "2, true, 5, 1000000, 0.5",
    "20, true, 5, 1000000, 0.5",
    "2, false, 5, 1000000, 0.5",
    "20, false, 5, 1000000, 0.5",
    "2, true, 1, 60000000, 0.5",
    "20, true, 5, 60000000, 0.5",
    "20, false, 5, 3600000000, 0.5"
  })
  void aCrowdDoesNotPassAKeyWithoutTicketsWithinItsShare(
      int times, boolean tickets, int others, long everyMicros, double part) {
    Bucket bucket = new Bucket("b", Scope.TENANT, new Rate(1, everyMicros), everyMicros / 1000);
    Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, 1);
    for (int i = 0; i < 600 * times; i++) {
      crowd.comes(i * everyMicros / times, tickets ? withTicket("f") : withoutTicket("f"));
    }
    double apart = (others + 1) / part;
    int asked = 0;
    for (int i = 0; i < others; i++) {
      double at = 20 + apart * crowd.random.nextDouble();
      while (at < 500) {
        crowd.comes((long) (at * everyMicros), withoutTicket("q" + i));
        asked++;
        at += apart * (0.5 + crowd.random.nextDouble());
      }
    }
    crowd.run(600 * everyMicros / Crowd.SECOND);
    assertThat(crowd.admitted("q")).isEqualTo(asked);
    assertThat(crowd.attempts("q")).isLessThanOrEqualTo(part < 0.5 ? 2.5 : 3);
  }

  private static Caller withoutTicket(String key) {
    return new Caller(key, false, Crowd.wholeSeconds(2000));
  }

  private static Caller withTicket(String key) {
    return new Caller(key, true, Crowd.asTold(2000));
  }

  private static boolean isThird(Admission one) {
    return one.caller().key().startsWith("k") && one.attempt() > 2;
  }
}
