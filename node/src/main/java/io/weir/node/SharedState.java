package io.weir.node;

import io.netty.channel.EventLoop;
import io.weir.node.config.NodeConfig;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.metrics.TimedBucketStore;
import io.weir.state.control.ClusterPolicy;
import io.weir.state.degraded.DegradingStore;
import io.weir.state.degraded.Outages;
import io.weir.state.lease.Leases;
import io.weir.state.lease.LeasingStore;
import io.weir.state.redis.RedisBucketStore;
import io.weir.state.redis.RedisConnections;
import io.weir.state.redis.RedisLeases;
import io.weir.throttle.BucketStore;
import io.weir.throttle.StoreUnavailableException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;

/**
 * The shared state as one node sees it: connections, the policy, and the stores before one another. A decision asks
 * {@code store}: leases, then the shares of an outage, then Redis. Owned by the node.
 *
 * @param redis the innermost store
 */
record SharedState(
    RedisConnections connections,
    ClusterPolicy policies,
    Outages outages,
    BucketStore redis,
    BucketStore store)
    implements AutoCloseable {

  /** Connects; what it fails with is as {@link Node#start} says, and then nothing is left open. */
  static SharedState open(
      NodeConfig config, String seed, List<EventLoop> eventLoops, NodeMetrics metrics) {
    RedisConnections connections = connections(config, eventLoops);
    ClusterPolicy policies;
    try {
      policies = ClusterPolicy.open(
          config.redisUri(), config.policyFile().toString(), seed, config.policyCopy());
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
    Outages outages = new Outages(connections.parts(), connections::probe);
    RedisBucketStore redis =
        RedisBucketStore.of(connections, policies::isChanging, outages::observer);
    DegradingStore degrading = new DegradingStore(
        new TimedBucketStore(redis, metrics),
        outages,
        charge -> connections.partOf(charge.tenant()),
        policies::liveNodes,
        System::nanoTime);
    Leases leases = new Leases(
        new RedisLeases(connections),
        UUID.randomUUID().toString(),
        outages,
        policies::liveNodes,
        System::nanoTime);
    LeasingStore store =
        new LeasingStore(degrading, leases, outages, policies::liveNodes, System::nanoTime);
    metrics.leased(leases::operationsHeld);
    metrics.away(outages::shareAway);
    return new SharedState(connections, policies, outages, redis, store);
  }

  // With a policy that is kept a node starts also while Redis is away.
  private static RedisConnections connections(NodeConfig config, List<EventLoop> eventLoops) {
    try {
      return RedisConnections.open(config.redisUri(), config.redisTimeout(), eventLoops);
    } catch (StoreUnavailableException e) {
      if (!e.fault().isOutage() || config.policyCopy().filter(Files::exists).isEmpty()) {
        throw e;
      }
      return RedisConnections.openLater(config.redisUri(), config.redisTimeout(), eventLoops);
    }
  }

  @Override
  public void close() {
    outages.close();
    try {
      policies.close();
    } finally {
      connections.close();
    }
  }
}
