package io.weir.state.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.Callers;
import io.weir.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The promises of slots, on generated crowds; none admitted above the bucket: the judge would throw. */
final class SlotPromisesTest {

  @ParameterizedTest(name = "seeds from {0}")
  @ValueSource(longs = {0, 1000, 2000, 3000})
  void whoComesInTimeToOneBucketIsAdmitted(long first) {
    long kept = 0;
    for (long seed = first; seed < first + 50; seed++) {
      Callers callers = run(seed, 1, 2500);
      assertThat(callers.broken())
          .describedAs("turned away in time, seed %d", seed)
          .isZero();
      kept += callers.kept();
    }
    assertThat(kept).isGreaterThan(8_000);
  }

  @Test
  void overSeveralBucketsAPlaceMayMoveButSeldomDoes() {
    long kept = 0;
    long broken = 0;
    for (long seed = 0; seed < 150; seed++) {
      Callers callers = run(seed, 2 + (int) (seed % 2), 1500);
      kept += callers.kept();
      broken += callers.broken();
    }
    assertThat(kept).isGreaterThan(10_000);
    assertThat((double) broken / (kept + broken))
        .describedAs("%d of %d moved", broken, kept + broken)
        .isLessThan(0.05);
  }

  private static Callers run(long seed, int buckets, int attempts) {
    ManualClock clock = new ManualClock();
    Callers callers = new Callers(seed, buckets, clock, List.of(new InMemoryBucketStore(clock)));
    callers.ask(attempts);
    return callers;
  }
}
