package io.weir.inmemory;

import static io.weir.inmemory.Crowd.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Operations of different costs share a bucket, and callers ask again as soon as they were admitted. Who asks for more is
 * not passed for ever by those who ask for less.
 */
final class MixedCostsTest {
  private static final long PAUSE = SECOND / 20;
  private static final int MOST_ATTEMPTS = 12;

  // Two callers of each operation, without tickets where not said otherwise.
  @ParameterizedTest(name = "{0}, {1} milliops/s, burst {2} ms, costs {3} and {4}")
  @CsvSource({
    "KEY, 10000, 15000, 5, 2",
    "CLUSTER, 10000, 15000, 5, 2",
    "KEY, 10000, 1000, 4, 1",
    "CLUSTER, 10000, 1000, 4, 1",
    "KEY, 10000, 1000, 5, 1",
    "CLUSTER, 10000, 1000, 5, 1",
    "KEY, 10000, 1000, 9, 1",
    "CLUSTER, 10000, 1000, 9, 1",
    "KEY, 1000, 10000, 4, 1",
    "CLUSTER, 1000, 20000, 4, 1",
    "KEY, 1000000, 60000, 20000, 100",
    "CLUSTER, 1000000, 60000, 20000, 100"
  })
  void largeOnesAreNotStarved(Scope scope, long milliOps, long burst, long large, long small) {
    Bucket bucket = new Bucket("requests", scope, milliOps, burst);
    run(bucket, Crowd.polite("k", false), Crowd.polite("k", false), large, small, 0);
  }

  @ParameterizedTest(
      name = "{0}, tickets of the large {1}, of the small {2}, {3} callers of another bucket")
  @CsvSource({
    "KEY, false, true, 0",
    "CLUSTER, false, true, 0",
    "KEY, true, false, 0",
    "CLUSTER, true, false, 0",
    "KEY, true, true, 0",
    "CLUSTER, true, true, 0",
    "KEY, false, false, 4",
    "CLUSTER, false, false, 4"
  })
  void norByTicketsNorByOtherCallersOfTheKey(
      Scope scope, boolean ticketsOfLarge, boolean ticketsOfSmall, int others) {
    Bucket bucket = new Bucket("requests", scope, 10_000, 15_000);
    run(bucket, Crowd.polite("k", ticketsOfLarge), Crowd.polite("k", ticketsOfSmall), 5, 2, others);
  }

  private static void run(
      Bucket bucket, Caller large, Caller small, long costOfLarge, long costOfSmall, int others) {
    Demand more = Demand.of(bucket, costOfLarge);
    Demand less = Demand.of(bucket, costOfSmall);
    Demand other = Demand.of(new Bucket("files", bucket.scope(), 10_000, 3000));
    for (int seed = 0; seed < 3; seed++) {
      Crowd crowd = new Crowd(bucket, 1, SlotMode.RESERVE, seed);
      come(crowd, 2, large.demanding(more));
      come(crowd, 2, small.demanding(less));
      come(crowd, others, Crowd.polite("k", false).demanding(other));
      crowd.run(600);
      assertThat(crowd.admissions)
          .as("attempts, seed %d", seed)
          .allMatch(one -> one.attempt() <= MOST_ATTEMPTS);
      assertThat(units(crowd, more))
          .as("units of the large, seed %d", seed)
          .isGreaterThan(units(crowd, less) * 2 / 3);
    }
  }

  private static void come(Crowd crowd, int callers, Caller caller) {
    for (int i = 0; i < callers; i++) {
      crowd.comes(crowd.random.nextLong(PAUSE), caller.again(PAUSE));
    }
  }

  private static long units(Crowd crowd, Demand demand) {
    return crowd.admissions.stream()
            .filter(one -> one.caller().demands().contains(demand))
            .count()
        * demand.unitsPerOperation();
  }
}
