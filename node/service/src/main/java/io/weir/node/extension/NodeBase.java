package io.weir.node.extension;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.weir.core.throttle.BucketStore;
import io.weir.node.config.NodeConfig;
import io.weir.state.connection.RedisConnections;
import io.weir.state.hold.Holds;
import io.weir.state.policy.ClusterPolicy;
import java.time.Duration;
import java.util.function.Function;

/**
 * The parts of a node that its admission is made of. Extensions are opened with them, since some are parts of admission.
 *
 */
public record NodeBase(
    Vertx vertx,
    NodeConfig config,
    Connections connections,
    ClusterPolicy policies,
    Stores stores,
    MeterRegistry meters) {

  /**
   * The connections to Redis.
   *
   * @param redis those for decisions
   * @param otherRedis opens connections of an extension's own with this timeout, for calls that take longer than
   *     decisions; the node closes them
   */
  public record Connections(
      RedisConnections redis, Function<Duration, RedisConnections> otherRedis) {}

  /**
   * The stores of limits.
   *
   * @param store decides in the shared state alone, without leases and without shares for outages
   * @param holds of the requests of this node
   */
  public record Stores(BucketStore store, Holds holds) {}
}
