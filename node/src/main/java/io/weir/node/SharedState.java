package io.weir.node;

import io.netty.channel.EventLoop;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.config.NodeConfig;
import io.weir.node.metrics.NodeMetrics;
import io.weir.node.metrics.TimedBucketStore;
import io.weir.node.trace.TracedBucketStore;
import io.weir.node.trace.Tracing;
import io.weir.state.connection.LibraryKeeper;
import io.weir.state.connection.RedisConnections;
import io.weir.state.degraded.DegradingStore;
import io.weir.state.degraded.Outages;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.lease.Leases;
import io.weir.state.lease.LeasingStore;
import io.weir.state.lease.RedisLeases;
import io.weir.state.policy.ClusterPolicy;
import io.weir.state.wire.LuaLibrary;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * The shared state as one node sees it: connections, the policy, and the chain of stores. A decision goes through
 * {@code store}: leases, then the shares of an outage, then Redis. Owned by the node.
 *
 * @param libraries keeps the libraries of functions
 * @param redis the innermost store
 * @param others connections that {@link #connect} has opened
 */
record SharedState(
    RedisConnections connections,
    LibraryKeeper libraries,
    NodeConfig config,
    ClusterPolicy policies,
    Outages outages,
    BucketStore redis,
    BucketStore store,
    Queue<RedisConnections> others)
    implements AutoCloseable {
  /** Connects; fails as {@link Node#start} does, and then closes every connection. */
  static SharedState open(
      NodeConfig config,
      String seed,
      List<EventLoop> eventLoops,
      NodeMetrics metrics,
      Tracing tracing) {
    Opened opened =
        RedisWait.of(config.redisWait()).until(() -> Opened.of(config, seed, eventLoops));
    RedisConnections connections = opened.connections();
    ClusterPolicy policies = opened.policies();
    Outages outages = new Outages(connections.parts(), connections::probe);
    RedisBucketStore redis =
        RedisBucketStore.of(connections, policies::isChanging, outages::observer);
    DegradingStore degrading = new DegradingStore(
        new TimedBucketStore(
            tracing == Tracing.NONE ? redis : new TracedBucketStore(redis, tracing), metrics),
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
    LibraryKeeper libraries =
        new LibraryKeeper(connections, LuaLibrary.limiter(Map.of()).script("libraries"), List::of);
    libraries.start();
    return new SharedState(
        connections,
        libraries,
        config,
        policies,
        outages,
        redis,
        store,
        new ConcurrentLinkedQueue<>());
  }

  /** The connections that must reach Redis before a node can start. */
  private record Opened(RedisConnections connections, ClusterPolicy policies) {
    static Opened of(NodeConfig config, String seed, List<EventLoop> eventLoops) {
      RedisConnections connections = connected(
          config,
          () -> RedisConnections.open(config.redisUri(), config.redisTimeout(), eventLoops),
          () -> RedisConnections.openLater(config.redisUri(), config.redisTimeout(), eventLoops));
      try {
        ClusterPolicy policies = ClusterPolicy.open(
            config.redisUri(), config.policyFile().toString(), seed, config.policyCopy());
        return new Opened(connections, policies);
      } catch (RuntimeException e) {
        connections.close();
        throw e;
      }
    }
  }

  /** Opens further connections, whose calls may take this long; they are closed with the others. */
  RedisConnections connect(Duration longest) {
    Duration timeout = longer(config.redisTimeout(), longest);
    RedisConnections opened = RedisWait.of(config.redisWait())
        .until(() -> connected(
            config,
            () -> RedisConnections.open(config.redisUri(), timeout),
            () -> RedisConnections.openLater(config.redisUri(), timeout)));
    others.add(opened);
    return opened;
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
    libraries.close();
    outages.close();
    try {
      policies.close();
    } finally {
      others.forEach(RedisConnections::close);
      connections.close();
    }
  }
}
