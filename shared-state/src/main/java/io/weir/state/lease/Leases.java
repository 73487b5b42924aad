package io.weir.state.lease;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.lease.Lease;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreAnswer.Stale;
import io.weir.state.degraded.Outages;
import io.weir.state.lease.LeasedBucket.Taking;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** All leases of a node. Safe for use by many threads; never blocks. */
public final class Leases {
  // Enough for one policy: when earlier and later policies exceed it together, all buckets are
  // forgotten.
  private static final int MAX_BUCKETS = 1000;

  private final RedisLeases shared;
  private final String node;
  private final Outages outages;
  private final IntSupplier liveNodes;
  private final LongSupplier nanoClock;
  private final Map<Bucket, LeasedBucket> buckets = new ConcurrentHashMap<>();
  private long lives;

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
    this.liveNodes = liveNodes;
    this.nanoClock = nanoClock;
  }

  /** Units of all buckets, in operations, that this node holds and may spend. */
  public double operationsHeld() {
    return buckets.values().stream().mapToDouble(LeasedBucket::operationsHeld).sum();
  }

  /** Whether a demand is on a bucket that is leased. */
  boolean areOf(Demand demand) {
    return switch (demand.bucket().scope()) {
      case CLUSTER -> demand.bucket().leased() || shared.areNeeded();
      case KEY, TENANT -> false;
    };
  }

  /** The part of the shared state that decides on a charge on leased buckets; if one part is away, that one. */
  int partOf(Charge charge) {
    for (Demand demand : charge.demands()) {
      if (outages.isAway(shared.partOf(demand.bucket()))) {
        return shared.partOf(demand.bucket());
      }
    }
    return shared.partOf(charge.demands().get(0).bucket());
  }

  /** Units taken for one charge. Mutable; used by one thread at a time. */
  static final class Takings {
    private final List<LeasedBucket> from = new ArrayList<>(1);
    private final List<Lease.Taken> taken = new ArrayList<>(1);
    private final long[] used;

    Takings(int demands) {
      this.used = new long[demands];
    }

    /** Per demand, the units used of its bucket. */
    long[] used() {
      return used;
    }

    /** Settles all units as spent, or gives all back. */
    void settle(boolean isSpent) {
      for (int i = 0; i < taken.size(); i++) {
        from.get(i).settle(taken.get(i), isSpent);
      }
      taken.clear();
      from.clear();
    }
  }

  /** Takes from all buckets of a charge or from none; the units taken have to be settled. */
  CompletionStage<StoreAnswer> take(Charge charge, Takings takings) {
    long[] none = new long[charge.demands().size()];
    if (charge.verdict().outcome(none) == Outcome.NEVER_ALLOWED) {
      return CompletableFuture.completedFuture(new Decided(
          charge.verdict().decision(Outcome.NEVER_ALLOWED, none, Wait.NONE), QueueReport.NONE));
    }
    return takeFrom(charge, takings, 0);
  }

  private CompletionStage<StoreAnswer> takeFrom(Charge charge, Takings takings, int index) {
    if (index == charge.demands().size()) {
      return CompletableFuture.completedFuture(new Decided(
          charge.verdict().decision(Outcome.ALLOWED, takings.used(), Wait.NONE), QueueReport.NONE));
    }
    Demand demand = charge.demands().get(index);
    LeasedBucket bucket = bucket(demand.bucket());
    return bucket
        .take(demand.units(charge.cost()), charge.revision())
        .whenComplete((taking, error) -> {
          if (error != null) {
            takings.settle(false);
          }
        })
        .thenCompose(taking -> {
          if (taking instanceof Taking.Took took) {
            takings.from.add(bucket);
            takings.taken.add(took.taken());
            takings.used[index] = took.used();
            return takeFrom(charge, takings, index + 1);
          }
          takings.settle(false);
          return CompletableFuture.completedFuture(instead(charge, takings, index, taking));
        });
  }

  private static StoreAnswer instead(Charge charge, Takings takings, int index, Taking taking) {
    if (taking instanceof Taking.Nothing nothing) {
      takings.used()[index] = nothing.used();
      Wait wait = new Wait(nothing.waitMicros(), true, Optional.empty());
      return new Decided(
          charge.verdict().decision(Outcome.DENIED, takings.used(), wait), QueueReport.NONE);
    }
    return new Stale(((Taking.Outdated) taking).revision());
  }

  // The shape is part of the key: a bucket of another policy is another lease of the same pool.
  private LeasedBucket bucket(Bucket bucket) {
    LeasedBucket known = buckets.get(bucket);
    if (known != null) {
      return known;
    }
    if (buckets.size() >= MAX_BUCKETS) {
      buckets.clear(); // their leases end within a moment
    }
    return buckets.computeIfAbsent(
        bucket,
        shape -> new LeasedBucket(
            shared,
            shape,
            node + "." + nextLife(),
            outages.observer(shared.partOf(shape)),
            liveNodes,
            nanoClock));
  }

  private synchronized long nextLife() {
    return ++lives;
  }
}
