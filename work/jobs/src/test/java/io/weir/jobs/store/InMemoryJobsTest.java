package io.weir.jobs.store;

import io.weir.jobs.rule.JobStore;
import io.weir.testkit.ManualClock;

/** The contract, in memory. */
final class InMemoryJobsTest extends JobStoreContract {
  @Override
  JobStore emptyStore(ManualClock clock) {
    return new InMemoryJobs(clock);
  }
}
