package io.weir.providers.store;

import io.weir.providers.rule.ProviderStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.ManualClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, on the Redis of this machine. */
@ExtendWith(RedisFixture.class)
final class RedisProviderStoreIT extends ProviderStoreContract {
  private static RedisConnections connections;

  @BeforeAll
  static void connect(RedisConnections open) {
    connections = open;
  }

  @Override
  ProviderStore emptyStore(ManualClock clock) {
    connections.sync().flushdb();
    return new RedisProviders(connections, StoreClock.of(clock));
  }
}
