package io.weir.jobs.store;

import io.weir.jobs.rule.JobStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.ManualClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, on the Redis of this machine. */
@ExtendWith(RedisFixture.class)
final class RedisJobStoreIT extends JobStoreContract {
  private static RedisConnections connections;

  @BeforeAll
  static void connect(RedisConnections open) {
    connections = open;
  }

  @Override
  JobStore emptyStore(ManualClock clock) {
    connections.sync().flushdb();
    return new RedisJobs(connections, StoreClock.of(clock));
  }
}
