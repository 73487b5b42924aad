package io.weir.state.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.connection.RedisConnections;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Charges that are decided as one, on the Redis of this machine. */
@ExtendWith(RedisFixture.class)
final class JointChargesIT extends JointContract {
  private static RedisConnections connections;

  @BeforeAll
  static void start(RedisConnections opened) {
    connections = opened;
  }

  @Override
  RedisBucketStore emptyStore(ManualClock manual) {
    connections.sync().flushall();
    return RedisBucketStore.rehearsing(connections, manual);
  }

  @Test
  void aStateThatCannotBeReadFailsAllAndNothingIsTaken() {
    RedisBucketStore live = RedisBucketStore.of(connections, () -> false);
    List<Demand> demands = List.of(Demand.of(new Bucket("ten", Scope.KEY, 1000, 1000)));
    connections.sync().set("weir:{72nw}:acme:key:broken", "this is no state");
    JointCharge joint = new JointCharge(List.of(
        new Charge("acme", "sound", 1, demands, 1), new Charge("acme", "broken", 1, demands, 1)));
    assertThatThrownBy(() -> live.tryAll(joint).toCompletableFuture().join())
        .hasCauseInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("weir:{72nw}:acme:key:broken holds no state");
    assertThat(connections.sync().get("weir:{72nw}:acme:key:sound")).isNull();
  }
}
