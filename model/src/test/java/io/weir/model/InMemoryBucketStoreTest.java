package io.weir.model;

import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.throttle.BucketStore;

final class InMemoryBucketStoreTest extends BucketStoreContract {
  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    return new InMemoryBucketStore(clock);
  }
}
