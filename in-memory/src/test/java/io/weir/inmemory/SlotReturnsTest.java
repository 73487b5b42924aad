package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import io.weir.testkit.Histories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers of one key that return as they were told, beside as many new ones. */
@Tag("engine")
final class SlotReturnsTest {
  private static final int SEEDS = Histories.count(5, 40);
  private static final long SECONDS = 30;

  @ParameterizedTest
  @CsvSource({"10, 3000", "10, 1000", "100, 1000"})
  void callersWithTicketsAreAdmittedAtTheirFirstReturn(long perSecond, long burstMillis) {
    Crowd crowd = crowd(perSecond, burstMillis, 1);
    crowd.poisson(1.3 * perSecond, 0, SECONDS, Crowd.polite("k", true));
    crowd.run(SECONDS);
    assertThat(crowd.promisedReturns).isGreaterThan(5 * perSecond);
    assertThat(crowd.brokenPromises).isZero();
  }

  @ParameterizedTest
  @CsvSource({"10, 3000", "10, 1000", "100, 1000"})
  void callersWithoutTicketsAreNearlyAlwaysAdmittedAtThePromisedSecond(
      long perSecond, long burstMillis) {
    long promised = 0;
    long broken = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Crowd crowd = crowd(perSecond, burstMillis, seed);
      crowd.poisson(1.3 * perSecond, 0, SECONDS, Crowd.polite("k", false));
      crowd.run(SECONDS);
      promised += crowd.promisedReturns;
      broken += crowd.brokenPromises;
    }
    assertThat(promised).isGreaterThan(SEEDS * perSecond);
    assertThat(broken).describedAs("of %d", promised).isLessThanOrEqualTo(promised * 3 / 100);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20, 50, 80, 100})
  void callersThatNeverReturnLeaveTheirPlacesToOthers(int absentPercent) {
    Crowd crowd = crowd(100, 1000, 4);
    Caller present = new Caller("k", true, Crowd.asTold(15_000));
    Caller absent = new Caller("k", true, Crowd.NEVER);
    crowd.poisson(1.4 * (100 - absentPercent), 0, 40, present);
    crowd.poisson(1.4 * absentPercent, 0, 40, absent);
    assertThat(crowd.run(40).used(10, 40)).isGreaterThanOrEqualTo(0.99);
    assertThat(crowd.brokenPromises).isZero();
  }

  @Test
  void aThousandCallersWithTicketsAskTwiceAndUseTheWholeLimit() {
    Crowd crowd = crowd(100, 1000, 1);
    crowd.herd(1000, Crowd.polite("k", true));
    crowd.run(60);
    assertThat(crowd.admissions).hasSize(1000);
    assertThat(crowd.attempts("k")).isLessThanOrEqualTo(1.92);
    assertThat(crowd.last()).isLessThanOrEqualTo(9 * 1.02);
  }

  @Test
  void aThousandCallersWithoutTicketsAskTwiceAndAreDoneOneSecondLater() {
    Crowd crowd = crowd(100, 1000, 1);
    crowd.herd(1000, Crowd.polite("k", false));
    crowd.run(60);
    assertThat(crowd.admissions).hasSize(1000);
    assertThat(crowd.attempts("k")).isLessThanOrEqualTo(1.92);
    assertThat(crowd.last()).isLessThanOrEqualTo(10.02);
  }

  // Clients in the wild give up after three attempts. The last of a crowd, which missed its second
  // by
  // the jitter of the network, must not be sent into the next crowd, where it would be the last
  // again.
  @Test
  void callersWithoutTicketsNeedMoreThanThreeAttemptsInOneOfAThousandCasesAtMost() {
    long late = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Crowd crowd = crowd(20, 1000, seed);
      long[] stalls = crowd.random.longs(20, 0, 60_000).toArray();
      Crowd.Return returns = (random, attempt, wait) -> {
        long seconds = Crowd.inSeconds(wait);
        return seconds + stalls[(int) (seconds / Crowd.SECOND)] + random.nextLong(30_000);
      };
      Caller caller = new Caller("k", false, returns);
      for (int i = 0; i < 200; i++) {
        crowd.comes(crowd.random.nextLong(100_000), caller);
      }
      assertThat(crowd.run(60).admissions).hasSize(200);
      late += crowd.admissions.stream().filter(one -> one.attempt() > 3).count();
    }
    assertThat(late).isLessThanOrEqualTo(SEEDS / 5);
  }

  private static Crowd crowd(long perSecond, long burstMillis, long seed) {
    return new Crowd(Scope.KEY, perSecond * 1000, burstMillis, SlotMode.RESERVE, seed);
  }
}
