package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.Histories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The scripts keep the promises of all limits in generated histories, as judged by their definitions alone; and they
 * agree with the model after every step, if it has such charges.
 */
@ExtendWith(RedisFixture.class)
@Tag("engine")
final class JudgedHistoriesIT {
  // 400 steps each, in the night a million together.
  private static final int PLAIN = Histories.count(10, 500, 1000);

  private static final int MIXED = Histories.count(10, 250, 500);

  private static final int JOINT = Histories.count(10, 150, 500);

  private static final int MIXED_JOINT = Histories.count(10, 100, 500);

  private static final int LEASES = Histories.count(10, 500);

  private static JudgedRuns runs;

  @BeforeAll
  static void start(RedisConnections opened) {
    runs = new JudgedRuns(opened);
  }

  @Test
  void everyAnswerKeepsThePromises() {
    long inTime = 0;
    for (long seed = first(); seed < first() + PLAIN; seed++) {
      inTime += runs.requests(seed);
    }
    assertThat(inTime).describedAs("tickets in time").isGreaterThan(PLAIN);
  }

  @Test
  void soItDoesWithOverflowPricesAndPartialGrants() {
    long parts = 0;
    for (long seed = first(); seed < first() + MIXED; seed++) {
      parts += runs.mixed(seed);
    }
    assertThat(parts).describedAs("charges that were granted a part").isGreaterThan(MIXED);
  }

  @Test
  void soItDoesWithChargesThatAreDecidedAsOne() {
    long inTime = 0;
    for (long seed = first(); seed < first() + JOINT; seed++) {
      inTime += runs.joint(seed);
    }
    assertThat(inTime).describedAs("tickets in time").isGreaterThan(JOINT);
  }

  @Test
  void soItDoesWithAllOfTheseTogether() {
    long parts = 0;
    for (long seed = first(); seed < first() + MIXED_JOINT; seed++) {
      parts += runs.mixedJoint(seed);
    }
    assertThat(parts).describedAs("charges that were granted a part").isGreaterThan(MIXED_JOINT);
  }

  @Test
  void neverMoreIsSpentThanALeasedBucketAllows() {
    for (long seed = first(); seed < first() + LEASES; seed++) {
      runs.leases(seed);
    }
  }

  private static long first() {
    return Histories.firstSeed();
  }
}
