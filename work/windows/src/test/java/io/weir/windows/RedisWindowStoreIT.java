package io.weir.windows;

import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.ManualClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, on the Redis of this machine. */
@ExtendWith(RedisFixture.class)
final class RedisWindowStoreIT extends WindowStoreContract {
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @Override
  WindowStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return new RedisWindows(connections, StoreClock.of(clock));
  }
}
