package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Histories;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.JudgedHistory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The model keeps the promises of all limits in generated histories, by the word of a judge that does not know it. */
@Tag("engine")
final class JudgedHistoriesTest {
  private static final int SEEDS = Histories.count(50, 2500);
  private static final int STEPS = 400;

  @Test
  void everyAnswerKeepsThePromises() {
    long inTime = 0;
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      inTime +=
          JudgedHistory.ofPlain(seed, clock, new OneNode(clock)).run(STEPS).ticketsInTime();
    }
    assertThat(inTime).describedAs("tickets in time").isGreaterThan(SEEDS);
  }

  @Test
  void soItDoesWithOverflowPricesAndPartialGrants() {
    long parts = 0;
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      parts += JudgedHistory.ofMixed(seed, clock, new OneNode(clock)).run(STEPS).parts();
    }
    assertThat(parts).describedAs("charges that were granted a part").isGreaterThan(SEEDS);
  }

  private static final class OneNode implements JudgedHistory.Cluster {
    private final ManualClock clock;
    private InMemoryBucketStore store;

    OneNode(ManualClock clock) {
      this.clock = clock;
      this.store = new InMemoryBucketStore(clock);
    }

    @Override
    public List<Stores> start(boolean keepsState) {
      store = keepsState ? store : new InMemoryBucketStore(clock);
      return List.of(new Stores(store, store));
    }
  }
}
