package io.weir.inmemory;

import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;

/** The contract of kinds, in memory. */
final class InMemoryKindsTest extends KindsContract {
  @Override
  protected Stores emptyStores(ManualClock clock) {
    InMemoryBucketStore store = new InMemoryBucketStore(clock);
    return new Stores(store, store);
  }
}
