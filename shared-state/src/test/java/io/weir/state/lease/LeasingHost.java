package io.weir.state.lease;

import io.weir.core.throttle.BucketStore;
import io.weir.state.connection.RedisConnections;
import io.weir.state.degraded.DegradingStore;
import io.weir.state.degraded.Outages;
import io.weir.state.lane.RedisBucketStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The objects of one process that holds leases.
 *
 * @param admitted counts what the test has admitted
 */
record LeasingHost(
    RedisConnections connections,
    Outages outages,
    Leases leases,
    BucketStore store,
    AtomicLong admitted)
    implements AutoCloseable {

  /** One that waits for Redis as long as a busy machine needs. */
  LeasingHost(String uri, String name, int nodes) {
    this(uri, name, nodes, Duration.ofMinutes(1));
  }

  LeasingHost(String uri, String name, int nodes, Duration timeout) {
    this(RedisConnections.open(uri, timeout), name, nodes);
  }

  private LeasingHost(RedisConnections connections, String name, int nodes) {
    this(connections, new Outages(connections.parts(), connections::probe), name, nodes);
  }

  private LeasingHost(RedisConnections connections, Outages outages, String name, int nodes) {
    this(
        connections,
        outages,
        new Leases(new RedisLeases(connections), name, outages, () -> nodes, System::nanoTime),
        nodes);
  }

  private LeasingHost(RedisConnections connections, Outages outages, Leases leases, int nodes) {
    this(
        connections,
        outages,
        leases,
        new LeasingStore(
            new DegradingStore(
                RedisBucketStore.of(connections, () -> false, outages::observer),
                outages,
                charge -> connections.partOf(charge.tenant()),
                () -> nodes,
                System::nanoTime,
                true),
            leases,
            outages,
            () -> nodes,
            System::nanoTime,
            true),
        new AtomicLong());
  }

  @Override
  public void close() {
    leases.close();
    outages.close();
    connections.close();
  }
}
