package io.weir.state.redis;

import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of kinds, where commands are sent as scripts. */
@ExtendWith(RedisFixture.class)
final class ScriptsKindsIT extends KindsContract {
  @AutoClose
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisDatabase database) {
    connections = RedisConnections.open(database.uri() + "?functions=off", Duration.ofMinutes(1));
  }

  @Override
  protected Stores emptyStores(ManualClock clock) {
    connections.sync().flushall();
    return new Stores(
        RedisBucketStore.rehearsing(connections, clock),
        new RedisHolds(connections, StoreClock.of(clock)));
  }
}
