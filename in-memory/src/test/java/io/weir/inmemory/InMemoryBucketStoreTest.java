package io.weir.inmemory;

import io.weir.core.throttle.BucketStore;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;

final class InMemoryBucketStoreTest extends BucketStoreContract {
  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    return new InMemoryBucketStore(clock);
  }
}
