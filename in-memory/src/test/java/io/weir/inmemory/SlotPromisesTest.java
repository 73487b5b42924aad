package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.Scenario;
import io.weir.testkit.Scenario.StepType;
import io.weir.testkit.ScenarioRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of slots, on generated crowds; the judge throws if the bucket admits more than it holds. */
@Tag("engine")
final class SlotPromisesTest {
  private static final int IN_A_QUARTER = Histories.count(5, 50);
  private static final int SEVERAL = Histories.count(30, 150);

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {0, 1000, 2000, 3000})
  void aCallerInTimeToOneBucketIsAdmitted(long first) {
    long kept = 0;
    for (long seed = first; seed < first + IN_A_QUARTER; seed++) {
      ScenarioRun run = run(seed, 1, 2500);
      assertThat(run.seen("BROKEN"))
          .describedAs("turned away in time, seed %d", seed)
          .isZero();
      kept += run.seen("KEPT");
    }
    assertThat(kept).isGreaterThan(Histories.count(80, 1500));
  }

  @Test
  void overSeveralBucketsAPlaceMayMoveButSeldomDoes() {
    long kept = 0;
    long broken = 0;
    for (long seed = 0; seed < SEVERAL; seed++) {
      ScenarioRun run = run(seed, 2 + (int) (seed % 2), 1500);
      kept += run.seen("KEPT");
      broken += run.seen("BROKEN");
    }
    assertThat(kept).isGreaterThan(Histories.count(350, 2900));
    assertThat((double) broken / (kept + broken))
        .describedAs("%d of %d moved", broken, kept + broken)
        .isLessThan(0.01);
  }

  private static ScenarioRun run(long seed, int buckets, int steps) {
    ManualClock clock = new ManualClock();
    return ScenarioRun.alone(
            new Scenario(seed, StepType.CALLERS, buckets),
            StepType.CALLERS,
            clock,
            new InMemoryBucketStore(clock))
        .run(steps);
  }
}
