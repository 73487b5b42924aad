package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.lease.Lease;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Stages;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreAnswer.Stale;
import io.weir.state.degraded.Outages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All leases of a node. Safe for use by many threads; never blocks. */
public final class Leases implements AutoCloseable {
  private final RedisLeases shared;
  private final String node;
  private final Outages outages;
  private final LeasedBuckets buckets = new LeasedBuckets();
  private final KnownPools pools = new KnownPools();
  private final Surroundings around;
  private final Function<Pool, LeasedBucket> make = this::made;
  private final AtomicLong lives = new AtomicLong();

  /**
   * Holds nothing at first.
   *
   * @param node unique among all nodes
   * @param outages observes the reports
   * @param nanoClock nanoseconds since any fixed instant
   */
  public Leases(
      RedisLeases shared,
      String node,
      Outages outages,
      IntSupplier liveNodes,
      LongSupplier nanoClock) {
    this.shared = shared;
    this.node = node;
    this.outages = outages;
    List<LeaseCalls> calls = Stream.generate(() -> new LeaseCalls(
            shared.timeout(), (task, after) -> Surroundings.later(shared, task, after)))
        .limit(shared.parts())
        .toList();
    this.around = new Surroundings(
        shared, calls, liveNodes, nanoClock, bucket -> buckets.remove(bucket.pool(), bucket));
  }

  /** Fails whoever waits for a lease; called before the connections are closed. */
  @Override
  public void close() {
    around.calls().forEach(LeaseCalls::close);
  }

  /** Units of all buckets, in operations, that this node holds and may spend. */
  public double operationsHeld() {
    return buckets.all().mapToDouble(LeasedBucket::operationsHeld).sum();
  }

  /** How many buckets of a tenant are leased just now; of scope {@code cluster} for an empty name. */
  int size(String tenant) {
    return buckets.size(tenant);
  }

  /** Whether a demand is on a bucket that is leased. */
  boolean areOf(Demand demand) {
    Bucket bucket = demand.bucket();
    return bucket.leased() || (bucket.scope() == Scope.CLUSTER && shared.areNeeded());
  }

  /** The part of the shared state that decides on a charge on leased buckets; if one part is away, that one. */
  int partOf(Charge charge) {
    if (!shared.areNeeded()) {
      return 0;
    }
    for (Demand demand : charge.demands()) {
      int part = partOf(demand, charge);
      if (outages.isAway(part)) {
        return part;
      }
    }
    return partOf(charge.demands().get(0), charge);
  }

  private int partOf(Demand demand, Charge charge) {
    return shared.partOf(pools.of(demand.bucket(), charge));
  }

  /** Units taken for one charge. Mutable; used by one thread at a time. */
  static final class Takings {
    private final LeasedBucket[] from;
    private final Lease.Taken[] taken;
    private final long[] used;
    private int count;

    Takings(int demands) {
      this.from = new LeasedBucket[demands];
      this.taken = new Lease.Taken[demands];
      this.used = new long[demands];
    }

    /** Per demand, the units used of its bucket. */
    long[] used() {
      return used;
    }

    private void add(LeasedBucket bucket, TakeResult.Took took) {
      from[count] = bucket;
      taken[count] = took.taken();
      used[count] = took.used();
      count++;
    }

    /** Settles all units as spent, or gives all back. */
    void settle(boolean isSpent) {
      for (int i = 0; i < count; i++) {
        from[i].settle(taken[i], isSpent);
      }
      count = 0;
    }
  }

  /**
   * Spends units of the only bucket of a charge at once.
   *
   * @return the units used then; -1 if {@link #take} has to decide: nothing was spent
   */
  long spendNow(Charge charge, long nowNanos) {
    Demand demand = charge.demands().get(0);
    return bucket(pools.of(demand.bucket(), charge))
        .spendNow(demand.units(charge.cost()), charge.revision(), nowNanos);
  }

  /**
   * Takes from all buckets of a charge or from none; the units taken have to be settled.
   *
   * @param isLook whether they are given back whatever is decided, and nobody is told a denial
   */
  CompletionStage<StoreAnswer> take(Charge charge, Takings takings, boolean isLook) {
    List<Demand> demands = charge.demands();
    for (int i = 0; i < demands.size(); i++) {
      Demand demand = demands.get(i);
      if (!LeakyBucket.canHold(demand.bucket(), demand.units(charge.cost()))) {
        return CompletableFuture.completedFuture(
            decided(charge, Outcome.NEVER_ALLOWED, takings, Wait.NONE));
      }
    }
    try {
      return takeFrom(charge, takings, isLook, 0);
    } catch (RuntimeException e) {
      takings.settle(false);
      return CompletableFuture.failedFuture(e);
    }
  }

  private static StoreAnswer decided(Charge charge, Outcome outcome, Takings takings, Wait wait) {
    return new Decided(charge.verdict().decision(outcome, takings.used(), wait), QueueReport.NONE);
  }

  // In a loop as long as the answers are known at once.
  private CompletionStage<StoreAnswer> takeFrom(
      Charge charge, Takings takings, boolean isLook, int first) {
    for (int i = first; i < charge.demands().size(); i++) {
      int index = i;
      Demand demand = charge.demands().get(index);
      LeasedBucket bucket = bucket(pools.of(demand.bucket(), charge));
      CompletableFuture<TakeResult> taking =
          bucket.take(demand.units(charge.cost()), charge.revision(), isLook);
      if (!Stages.isKnown(taking)) {
        return taking
            .whenComplete((taken, error) -> giveBackAfter(error, takings))
            .thenCompose(taken -> hasTaken(taken, bucket, takings)
                ? takeFrom(charge, takings, isLook, index + 1)
                : CompletableFuture.completedFuture(instead(charge, takings, index, taken)));
      }
      if (!hasTaken(taking.join(), bucket, takings)) {
        return CompletableFuture.completedFuture(instead(charge, takings, index, taking.join()));
      }
    }
    return CompletableFuture.completedFuture(decided(charge, Outcome.ALLOWED, takings, Wait.NONE));
  }

  // If nothing was taken, all that was taken before is given back.
  private static boolean hasTaken(TakeResult taking, LeasedBucket bucket, Takings takings) {
    if (taking instanceof TakeResult.Took took) {
      takings.add(bucket, took);
      return true;
    }
    takings.settle(false);
    return false;
  }

  private static void giveBackAfter(@Nullable Throwable error, Takings takings) {
    if (error != null) {
      takings.settle(false);
    }
  }

  private static StoreAnswer instead(Charge charge, Takings takings, int index, TakeResult taking) {
    if (taking instanceof TakeResult.Nothing nothing) {
      takings.used()[index] = nothing.used();
      Wait wait = new Wait(nothing.waitMicros(), true, Optional.empty());
      return decided(charge, Outcome.DENIED, takings, wait);
    }
    return new Stale(((TakeResult.Outdated) taking).revision());
  }

  private LeasedBucket bucket(Pool pool) {
    return buckets.get(pool, make);
  }

  private LeasedBucket made(Pool pool) {
    String holder = node + "." + lives.incrementAndGet();
    return new LeasedBucket(pool, holder, outages.observer(shared.partOf(pool)), around);
  }
}
