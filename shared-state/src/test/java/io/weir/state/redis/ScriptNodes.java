package io.weir.state.redis;

import io.weir.core.policy.OperationLimit.Limited;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.RedisCorrections;
import io.weir.state.hold.RedisHolds;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.wire.StoreClock;
import io.weir.testkit.KindScenarioRun.Stores;
import io.weir.testkit.ManualClock;
import io.weir.testkit.judge.JudgedHistory;
import io.weir.testkit.judge.SharedCalls;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A node of a judged history on the scripts alone. Mutable; owned by one history. */
final class ScriptNodes implements JudgedHistory.Cluster, SharedCalls {
  private final RedisConnections redis;
  private final ManualClock clock;
  private final RedisCorrections corrections;
  private RedisBucketStore node;

  ScriptNodes(RedisConnections redis, ManualClock clock) {
    this.redis = redis;
    this.clock = clock;
    this.corrections = new RedisCorrections(redis, StoreClock.of(clock));
    this.node = RedisBucketStore.rehearsing(redis, clock);
  }

  @Override
  public List<Stores> start(boolean keepsState) {
    if (!keepsState) {
      redis.sync().flushall();
    }
    node = RedisBucketStore.rehearsing(redis, clock);
    return List.of(new Stores(node, new RedisHolds(redis, StoreClock.of(clock))));
  }

  @Override
  public List<StoreAnswer> tryAll(JointCharge joint) {
    return await(node.tryAll(joint));
  }

  @Override
  public List<Long> refund(Charge charge) {
    return await(
        corrections.refund(charge.tenant(), charge.subject(), limit(charge), charge.cost()));
  }

  @Override
  public void owe(Charge charge) {
    await(corrections.owe(charge.tenant(), charge.subject(), limit(charge), charge.cost()));
  }

  private static Limited limit(Charge charge) {
    return new Limited(charge.demands(), charge.extras().demands());
  }

  private static <T> T await(CompletionStage<T> answer) {
    return answer.toCompletableFuture().join();
  }
}
