package io.weir.state.lane;

import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.testing.RedisFixture;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.KindsContract;
import io.weir.testkit.ManualClock;
import io.weir.testkit.TransportFacts;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of kinds, with nothing kept between calls: the answers are the same. */
@ExtendWith(RedisFixture.class)
@TransportFacts
@Tag("engine")
final class WithoutMemoKindsIT extends KindsContract {
  private static final Map<String, String> REPLACEMENTS =
      Map.of("now", "now_argument", "memo", "memo_none");
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @Override
  protected Stores emptyStores(ManualClock clock) {
    connections.sync().flushall();
    return new Stores(
        RedisBucketStore.rehearsing(connections, clock, REPLACEMENTS),
        new RedisHolds(connections, StoreClock.of(clock)));
  }
}
