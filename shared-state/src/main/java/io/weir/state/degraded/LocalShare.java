package io.weir.state.degraded;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.throttle.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides by a node's share of the limits: an equal share for each live node of the last count. Takes from all buckets
 * of a charge or from none. Waits are estimates. For a while after an outage it has to agree to admissions of the
 * shared state, so that buckets that have drained meanwhile do not let a burst through. Safe for use by many threads,
 * one at a time inside.
 */
final class LocalShare {
  private static final long MIN_HANDOVER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_HANDOVER_NANOS = TimeUnit.SECONDS.toNanos(30);
  // A bucket that was unused for longer belongs to an earlier outage.
  private static final long FORGOTTEN_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoClock;
  private final LocalBuckets buckets;
  private volatile boolean hasDecided;
  private volatile boolean isHandingOver;
  private long backSinceNanos;
  private long decidedNanos;

  /** @param parts the number of shares of a node, each of another part of the shared state */
  LocalShare(LongSupplier nanoClock, IntSupplier liveNodes, LastLevels levels, int parts) {
    this.buckets = new LocalBuckets(nanoClock, liveNodes, levels, parts);
    this.nanoClock = nanoClock;
  }

  /**
   * A decision of this node alone.
   *
   * @param from per demand, the bucket that has paid; empty if nothing was taken
   */
  record Counted(Decision decision, List<LocalBucket> from) {}

  /** Gives back the cost of a charge that another part of the shared state has not admitted. */
  synchronized void giveBack(Charge charge, Counted counted) {
    for (int i = 0; i < counted.from().size(); i++) {
      counted.from().get(i).giveBack(charge.demands().get(i).units(charge.cost()), !isHandingOver);
    }
  }

  /** Decides on a charge, and takes its cost if it is allowed. */
  synchronized Counted decide(Charge charge) {
    Verdict verdict = charge.verdict();
    long[] none = new long[charge.demands().size()];
    if (verdict.outcome(none) == Outcome.NEVER_ALLOWED) {
      Decision never = verdict.decision(Outcome.NEVER_ALLOWED, none, Verdict.Wait.NONE);
      List<String> full = never.fold(allowed -> List.of(), Denied::full, NeverAllowed::full);
      return new Counted(
          new NeverAllowed(
              charge.revision(), List.of(), full, Decision.Reason.COST_EXCEEDS_CAPACITY),
          List.of());
    }
    long now = nanoClock.getAsLong();
    if (!isHandingOver && now - decidedNanos > FORGOTTEN_AFTER_NANOS) {
      buckets.clear(); // they belong to an earlier outage
    }
    decidedNanos = now;
    hasDecided = true;
    List<LocalBucket> own = new ArrayList<>();
    for (int i = 0; i < charge.demands().size(); i++) {
      own.add(buckets.make(charge, i));
    }
    Decision decision = decide(charge, own);
    if (!(decision instanceof Allowed)) {
      return new Counted(decision, List.of());
    }
    for (int i = 0; i < own.size(); i++) {
      own.get(i).owe(charge.demands().get(i).units(charge.cost()));
    }
    return new Counted(decision, own);
  }

  /**
   * Units that some of the charge's buckets have admitted locally, for a report to the shared state, which does not
   * know of them. From then on they are no longer owed.
   */
  synchronized Optional<Debt> owed(Charge charge) {
    long now = nanoClock.getAsLong();
    List<@Nullable LocalBucket> own = counting(charge, now);
    List<Demand> demands = new ArrayList<>();
    List<LocalBucket> from = new ArrayList<>();
    long operations = Long.MAX_VALUE;
    for (int i = 0; i < own.size(); i++) {
      LocalBucket bucket = own.get(i);
      Demand demand = charge.demands().get(i);
      long owed = bucket == null ? 0 : demand.operationsIn(bucket.owedUnits(now));
      if (bucket != null && owed > 0) {
        demands.add(demand);
        from.add(bucket);
        operations = Math.min(operations, owed);
      }
    }
    if (from.isEmpty()) {
      return Optional.empty();
    }
    for (int i = 0; i < from.size(); i++) {
      from.get(i).reported(demands.get(i).units(operations));
    }
    // If all buckets owe, the list keeps its identity: objects made from it are cached.
    boolean areAll = demands.size() == charge.demands().size();
    return Optional.of(new Debt(areAll ? charge.demands() : demands, from, operations));
  }

  /**
   * A debt to report to the shared state.
   *
   * @param from the buckets of {@code demands}
   */
  record Debt(List<Demand> demands, List<LocalBucket> from, long operations) {}

  /**
   * Records that the shared state did not accept a debt.
   *
   * @param isTooMuch whether it answered that the debt does not fit
   */
  synchronized void oweAgain(Debt debt, boolean isTooMuch) {
    long now = nanoClock.getAsLong();
    for (int i = 0; i < debt.from().size(); i++) {
      Demand demand = debt.demands().get(i);
      debt.from()
          .get(i)
          .oweAgain(demand.units(debt.operations()), demand.unitsPerOperation(), isTooMuch, now);
    }
  }

  /** Whether this node has decided locally since the last {@link #handOver}. */
  boolean hasDecided() {
    return hasDecided;
  }

  /**
   * Begins the handover, as the shared state answers again: for a while charges have to be {@link #agree agreed} to.
   */
  synchronized void handOver() {
    backSinceNanos = nanoClock.getAsLong();
    hasDecided = false;
    isHandingOver = true;
  }

  /** Whether the handover after an outage is under way. */
  boolean isHandingOver() {
    return isHandingOver;
  }

  /** Takes the cost of a charge that the shared state is to admit, or has, if this node has counted for its owner. */
  synchronized Agreement agree(Charge charge) {
    List<@Nullable LocalBucket> own = counting(charge, nanoClock.getAsLong());
    Decision decision = decide(charge, own);
    return new Agreement(
        decision instanceof Denied denied ? Optional.of(denied) : Optional.empty(), own);
  }

  /** Gives back the cost of a charge that the shared state has not admitted. */
  synchronized void takeBack(Charge charge, Agreement agreement) {
    for (int i = 0; i < agreement.taken().size(); i++) {
      LocalBucket bucket = agreement.taken().get(i);
      if (bucket != null) {
        bucket.giveBack(charge.demands().get(i).units(charge.cost()));
      }
    }
  }

  /**
   * The answer of a share to a charge.
   *
   * @param denied present if it does not agree; nothing was taken then
   * @param taken per demand, the bucket that has paid; null if none has
   */
  record Agreement(Optional<Denied> denied, List<@Nullable LocalBucket> taken) {
    /** Whether each demand was paid. */
    boolean isOfAll() {
      return taken.stream().allMatch(paid -> paid != null);
    }
  }

  /** Takes the cost of a charge that the shared state has admitted, whether it fits or not. */
  synchronized void count(Charge charge) {
    List<@Nullable LocalBucket> own = counting(charge, nanoClock.getAsLong());
    for (int i = 0; i < own.size(); i++) {
      LocalBucket bucket = own.get(i);
      if (bucket != null) {
        bucket.takeAnyway(charge.demands().get(i).units(charge.cost()));
      }
    }
  }

  // Returns the owner's buckets that still count. They are forgotten after a handover, but not
  // while this node decides by them again: each charge would make new ones, with room.
  private List<@Nullable LocalBucket> counting(Charge charge, long now) {
    boolean wasBack = isHandingOver && !hasDecided;
    if (wasBack && now - backSinceNanos > MAX_HANDOVER_NANOS) {
      buckets.clear();
      isHandingOver = false;
    }
    List<@Nullable LocalBucket> own = new ArrayList<>();
    for (Demand demand : charge.demands()) {
      LocalBucket bucket = buckets.find(charge, demand);
      if (bucket != null && wasBack && now - backSinceNanos > handoverNanos(bucket)) {
        buckets.forget(charge, demand);
        bucket = null;
      }
      own.add(bucket);
    }
    return own;
  }

  private static long handoverNanos(LocalBucket bucket) {
    return Math.min(MAX_HANDOVER_NANOS, Math.max(MIN_HANDOVER_NANOS, 2 * bucket.burstNanos()));
  }

  // A missing bucket agrees.
  private Decision decide(Charge charge, List<? extends @Nullable LocalBucket> own) {
    long now = nanoClock.getAsLong();
    long retryAt = now;
    List<String> full = new ArrayList<>(0);
    for (int i = 0; i < own.size(); i++) {
      LocalBucket bucket = own.get(i);
      Demand demand = charge.demands().get(i);
      long units = demand.units(charge.cost());
      long wait = bucket == null ? 0 : bucket.waitNanos(units);
      if (bucket != null && wait > 0) {
        full.add(demand.bucket().name());
        retryAt = Math.max(retryAt, bucket.retryAt(units, wait, now));
      }
    }
    if (!full.isEmpty()) {
      long micros = LeakyBucket.ceilDiv(retryAt - now, MICROSECONDS.toNanos(1));
      return Denied.degraded(charge.revision(), full, micros);
    }
    for (int i = 0; i < own.size(); i++) {
      LocalBucket bucket = own.get(i);
      if (bucket != null) {
        bucket.take(charge.demands().get(i).units(charge.cost()));
      }
    }
    return new Allowed(charge.revision(), List.of(), true);
  }
}
