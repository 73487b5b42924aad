package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.lease.Lease;
import io.weir.core.lease.LeaseReport;
import io.weir.inmemory.LeasePool.Granted;
import io.weir.testkit.Histories;
import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.JudgedLeases;
import io.weir.testkit.judge.JudgedLeases.Answer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that lease a bucket of the model never spend more than it allows. */
@Tag("engine")
final class JudgedLeasesTest {
  private static final int SEEDS = Histories.count(50, 2500);
  private static final int STEPS = 400;

  @Test
  void neverMoreIsSpentThanTheBucketAllows() {
    long first = Histories.firstSeed();
    for (long seed = first; seed < first + SEEDS; seed++) {
      ManualClock clock = new ManualClock();
      new JudgedLeases(seed, clock, List.of(new ModelPool(clock))).run(STEPS);
    }
  }

  private static final class ModelPool implements JudgedLeases.Pool {
    private final ManualClock clock;
    private Optional<LeasePool> pool = Optional.empty();

    ModelPool(ManualClock clock) {
      this.clock = clock;
    }

    @Override
    public Answer exchange(Bucket bucket, long revision, LeaseReport report) {
      Granted granted = pool.orElseGet(() -> LeasePool.empty(bucket))
          .exchange(bucket, report, Lease.LASTS.toNanos() / 1000, clock.getAsLong());
      LeasePool after = granted.pool();
      pool = Optional.of(after);
      return granted.granted() < 0
          ? Answer.LATE
          : new Answer(
              granted.granted(),
              after.used(),
              after.out(),
              granted.waitMicros(),
              granted.holders(),
              granted.before());
    }
  }
}
