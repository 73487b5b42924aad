package io.weir.state.lease;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The collaborators that all leased buckets of a node share.
 *
 * @param leases the shared pools
 * @param calls the turns of the calls to them, by part of the shared state
 * @param whenIdle is passed each bucket that holds nothing any more and owes nobody an answer
 */
record Surroundings(
    RedisLeases leases,
    List<LeaseCalls> calls,
    IntSupplier liveNodes,
    LongSupplier nanoClock,
    Consumer<LeasedBucket> whenIdle) {

  /** The turns of the calls to a pool. */
  LeaseCalls callsTo(Pool pool) {
    return calls.get(leases.partOf(pool));
  }

  /** Runs a task later; empty if the connections are closed. */
  Optional<Future<?>> later(Runnable task, long afterNanos) {
    return later(leases, task, Duration.ofNanos(afterNanos));
  }

  static Optional<Future<?>> later(RedisLeases leases, Runnable task, Duration after) {
    try {
      return Optional.of(leases.later(task, after));
    } catch (RejectedExecutionException e) {
      return Optional.empty();
    }
  }
}
