package io.weir.node;

import io.netty.channel.EventLoop;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.JointStore;
import io.weir.node.config.NodeConfig;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.metrics.TimedBucketStore;
import io.weir.node.trace.TracedBucketStore;
import io.weir.node.trace.Tracing;
import io.weir.state.chain.StoreChain;
import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisStart;
import io.weir.state.connection.RedisWait;
import io.weir.state.policy.ClusterPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The shared state as one node sees it: connections, the policy, and the stores. Owned by the node.
 *
 * @param starting shows what the node waits for
 * @param others connections that {@link #connect} has opened
 */
record SharedState(
    RedisConnections connections,
    NodeConfig config,
    StartPort starting,
    ClusterPolicy policies,
    StoreChain chain,
    Queue<RedisConnections> others)
    implements AutoCloseable {
  private static final String WAIT_SETTING = "--redis-wait-ms";

  /** Connects; fails as {@link Node#start} does, and then closes every connection. */
  static SharedState open(
      NodeConfig config,
      StartPort starting,
      Optional<String> seed,
      List<EventLoop> eventLoops,
      NodeMetrics metrics,
      Tracing tracing) {
    Opened opened = RedisWait.of(config.redis().startTimeout(), WAIT_SETTING)
        .until(starting.watching(() -> Opened.of(config, seed, eventLoops)));
    RedisConnections connections = opened.connections();
    ClusterPolicy policies = opened.policies();
    StoreChain chain = StoreChain.of(
        connections,
        policies::isChanging,
        policies::liveNodes,
        true,
        redis -> new TimedBucketStore(
            tracing == Tracing.NONE ? redis : new TracedBucketStore(redis, tracing), metrics));
    metrics.leased(chain.leases()::operationsHeld);
    metrics.away(chain.outages()::shareAway);
    metrics.policy(() -> policies.current().revision());
    return new SharedState(
        connections, config, starting, policies, chain, new ConcurrentLinkedQueue<>());
  }

  /** The store that decides. */
  BucketStore store() {
    return chain.store();
  }

  /** The store that decides several charges as one. */
  JointStore joint() {
    return chain.joint();
  }

  /** The innermost store. */
  BucketStore redis() {
    return chain.redis();
  }

  /** The connections that must reach Redis before a node can start. */
  private record Opened(RedisConnections connections, ClusterPolicy policies) {
    static Opened of(NodeConfig config, Optional<String> seed, List<EventLoop> eventLoops) {
      RedisConnections connections = start(config).open(config.redis().timeout(), eventLoops);
      try {
        ClusterPolicy policies = ClusterPolicy.open(
            config.redis().uri(),
            config.policy().file().toString(),
            seed,
            config.policy().copy());
        return new Opened(connections, policies);
      } catch (RuntimeException e) {
        connections.close();
        throw e;
      }
    }
  }

  /** Opens further connections, whose calls may take this long; they are closed with the others. */
  RedisConnections connect(Duration longest) {
    Duration timeout = longer(config.redis().timeout(), longest);
    RedisConnections opened = RedisWait.of(config.redis().startTimeout(), WAIT_SETTING)
        .until(starting.watching(() -> start(config).open(timeout)));
    others.add(opened);
    return opened;
  }

  private static RedisStart start(NodeConfig config) {
    return new RedisStart(config.redis().uri(), config.policy().copy());
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  @Override
  public void close() {
    chain.close();
    try {
      policies.close();
    } finally {
      others.forEach(RedisConnections::close);
      connections.close();
    }
  }
}
