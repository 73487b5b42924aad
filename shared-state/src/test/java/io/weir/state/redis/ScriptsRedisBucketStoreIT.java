package io.weir.state.redis;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.BucketStoreContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract, where commands are sent as scripts. */
@ExtendWith(RedisFixture.class)
final class ScriptsRedisBucketStoreIT extends BucketStoreContract {
  @AutoClose
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisDatabase database) {
    connections = RedisConnections.open(database.uri() + "?functions=off", Duration.ofMinutes(1));
  }

  @Override
  protected BucketStore emptyStore(ManualClock clock) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, clock);
  }
}
