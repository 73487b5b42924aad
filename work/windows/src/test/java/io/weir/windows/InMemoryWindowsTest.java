package io.weir.windows;

import io.weir.testkit.ManualClock;

/** The contract, in memory. */
final class InMemoryWindowsTest extends WindowStoreContract {
  @Override
  WindowStore emptyStore(ManualClock clock) {
    return new InMemoryWindows(clock);
  }
}
