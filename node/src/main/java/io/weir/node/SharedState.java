package io.weir.node;

import io.netty.channel.EventLoop;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreUnavailableException;
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
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The shared state as one node sees it: connections, the policy, and the chain of stores. A decision goes through
 * {@code store}: leases, then the shares of an outage, then Redis. Owned by the node.
 *
 * @param ofJobs the connection for jobs, so that long results delay no decision
 * @param redis the innermost store
 */
record SharedState(
    RedisConnections connections,
    RedisConnections ofJobs,
    ClusterPolicy policies,
    Outages outages,
    BucketStore redis,
    BucketStore store)
    implements AutoCloseable {
  /** A long result takes longer to transfer than a decision. */
  private static final Duration JOBS_TIMEOUT = Duration.ofSeconds(2);

  /** Connects; fails as {@link Node#start} does, and then closes every connection. */
  static SharedState open(
      NodeConfig config, String seed, List<EventLoop> eventLoops, NodeMetrics metrics) {
    Opened opened =
        RedisWait.of(config.redisWait()).until(() -> Opened.of(config, seed, eventLoops));
    RedisConnections connections = opened.connections();
    ClusterPolicy policies = opened.policies();
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
    return new SharedState(connections, opened.ofJobs(), policies, outages, redis, store);
  }

  /** The connections that must reach Redis before a node can start. */
  private record Opened(
      RedisConnections connections, RedisConnections ofJobs, ClusterPolicy policies) {
    static Opened of(NodeConfig config, String seed, List<EventLoop> eventLoops) {
      Deque<RedisConnections> opened = new ArrayDeque<>();
      try {
        opened.push(connected(
            config,
            () -> RedisConnections.open(config.redisUri(), config.redisTimeout(), eventLoops),
            () ->
                RedisConnections.openLater(config.redisUri(), config.redisTimeout(), eventLoops)));
        Duration ofJobs = longer(config.redisTimeout(), JOBS_TIMEOUT);
        opened.push(connected(
            config,
            () -> RedisConnections.open(config.redisUri(), ofJobs),
            () -> RedisConnections.openLater(config.redisUri(), ofJobs)));
        ClusterPolicy policies = ClusterPolicy.open(
            config.redisUri(), config.policyFile().toString(), seed, config.policyCopy());
        return new Opened(opened.getLast(), opened.getFirst(), policies);
      } catch (RuntimeException e) {
        opened.forEach(RedisConnections::close);
        throw e;
      }
    }
  }

  // With a stored copy of the policy, a node starts even if Redis is away.
  private static RedisConnections connected(
      NodeConfig config, Supplier<RedisConnections> now, Supplier<RedisConnections> later) {
    try {
      return now.get();
    } catch (StoreUnavailableException e) {
      if (!e.fault().isOutage() || config.policyCopy().filter(Files::exists).isEmpty()) {
        throw e;
      }
      return later.get();
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  @Override
  public void close() {
    outages.close();
    try {
      policies.close();
    } finally {
      ofJobs.close();
      connections.close();
    }
  }
}
