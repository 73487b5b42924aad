package io.weir.node.testing;

import io.weir.core.policy.FailureMode;
import io.weir.testkit.RedisProcess;

/** Two nodes with one policy, and a Redis of their own, which a test may configure. */
public record TwoNodes(RedisProcess redis, NodeFixture one, NodeFixture two)
    implements AutoCloseable {
  public static TwoNodes start(String policy) {
    RedisProcess redis = RedisProcess.start();
    return new TwoNodes(
        redis,
        NodeFixture.at(redis.uri(), policy, FailureMode.DENY),
        NodeFixture.at(redis.uri(), policy, FailureMode.DENY));
  }

  @Override
  public void close() {
    one.close();
    two.close();
    redis.close();
  }
}
