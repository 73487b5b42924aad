package io.weir.state.chain;

import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.JointStore;
import io.weir.state.connection.LibraryKeeper;
import io.weir.state.connection.RedisConnections;
import io.weir.state.degraded.DegradingStore;
import io.weir.state.degraded.JointDegradingStore;
import io.weir.state.degraded.Outages;
import io.weir.state.lane.RedisBucketStore;
import io.weir.state.lease.Leases;
import io.weir.state.lease.LeasingStore;
import io.weir.state.lease.RedisLeases;
import io.weir.state.wire.LuaLibrary;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * The stores that a decision goes through: leases, then the shares of an outage, then Redis. Owned by the code that made
 * it, as are the connections.
 *
 * @param store what decides
 * @param joint the same for several charges as one
 * @param redis the innermost store
 */
public record StoreChain(
    BucketStore store,
    JointStore joint,
    BucketStore redis,
    Outages outages,
    Leases leases,
    LibraryKeeper libraries)
    implements AutoCloseable {

  /**
   * Makes the chain.
   *
   * @param isPolicyChanging see {@link RedisBucketStore#of}
   * @param liveNodes the number of live nodes at the last count
   * @param hasShare whether this process counts as a node
   * @param watched adds what watches the calls to Redis
   */
  public static StoreChain of(
      RedisConnections redis,
      BooleanSupplier isPolicyChanging,
      IntSupplier liveNodes,
      boolean hasShare,
      UnaryOperator<BucketStore> watched) {
    Outages outages = new Outages(redis.parts(), redis::probe);
    RedisBucketStore innermost = RedisBucketStore.of(redis, isPolicyChanging, outages::observer);
    DegradingStore degrading = new DegradingStore(
        watched.apply(innermost),
        outages,
        charge -> redis.partOf(charge.tenant()),
        liveNodes,
        System::nanoTime,
        hasShare);
    Leases leases = new Leases(
        new RedisLeases(redis), UUID.randomUUID().toString(), outages, liveNodes, System::nanoTime);
    LeasingStore store =
        new LeasingStore(degrading, leases, outages, liveNodes, System::nanoTime, hasShare);
    LibraryKeeper libraries =
        new LibraryKeeper(redis, LuaLibrary.limiter(Map.of()).script("libraries"), List::of);
    libraries.start();
    JointStore joint = new JointDegradingStore(innermost, degrading);
    return new StoreChain(store, joint, innermost, outages, leases, libraries);
  }

  @Override
  public void close() {
    libraries.close();
    leases.close();
    outages.close();
  }
}
