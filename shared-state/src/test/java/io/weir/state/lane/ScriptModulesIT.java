package io.weir.state.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision;
import io.weir.core.slot.SlotMode;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Queueing;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.RedisConnections;
import io.weir.state.testing.RedisFixture;
import io.weir.testkit.ManualClock;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A script forgets its modules at its end, so each call builds only those that it needs. */
@ExtendWith(RedisFixture.class)
final class ScriptModulesIT {
  private static final Map<String, String> REPLACEMENTS = Map.of(
      "now", "now_argument", "queue/charge_each", "queue/never", "queue/place_own", "queue/never");

  private static final List<Demand> ONE =
      List.of(Demand.of(new Bucket("requests", Scope.KEY, 1, 1_000_000)));

  @Test
  void aChargeThatFitsDoesNotBuildTheLongWay(RedisDatabase database) {
    try (RedisConnections scripts =
        RedisConnections.open(database.uri() + "?functions=off", Duration.ofMinutes(1))) {
      BucketStore store = RedisBucketStore.rehearsing(scripts, new ManualClock(), REPLACEMENTS);
      assertThat(charge(store)).isInstanceOf(Decision.Allowed.class);
      assertThatThrownBy(() -> charge(store)).hasStackTraceContaining("the long way was built");
    }
  }

  private static Decision charge(BucketStore store) {
    Charge charge = new Charge("acme", "k1", 1, ONE, 1).with(Queueing.of(SlotMode.RESERVE));
    StoreAnswer answer = store.tryCharge(charge).toCompletableFuture().join();
    return ((StoreAnswer.Decided) answer).decision();
  }
}
