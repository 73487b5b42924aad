package io.weir.state.lease;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Verdict;
import io.weir.core.slot.QueueReport;
import io.weir.core.throttle.BucketStore;
import io.weir.core.throttle.Charge;
import io.weir.core.throttle.Stages;
import io.weir.core.throttle.StoreAnswer;
import io.weir.core.throttle.StoreAnswer.Decided;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.state.degraded.DegradingStore;
import io.weir.state.degraded.DegradingStore.Counted;
import io.weir.state.degraded.Outages;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with leased buckets of scope {@code cluster}: a charge's demands on these are taken from the node's lease
 * before the other buckets are asked, and given back if those deny. Safe for use by many threads; never blocks.
 */
public final class LeasingStore implements BucketStore {
  private static final int SLOTS = 1 << 12;

  private final BucketStore own;
  private final Leases leases;
  private final DegradingStore ofLeases;
  private final LongSupplier nanoClock;
  private final AtomicReferenceArray<Split> splits = new AtomicReferenceArray<>(SLOTS);

  /**
   * Adds leases to a store.
   *
   * @param own decides on the other buckets
   * @param outages of {@code leases}
   * @param hasShare see {@link DegradingStore}
   */
  public LeasingStore(
      BucketStore own,
      Leases leases,
      Outages outages,
      IntSupplier liveNodes,
      LongSupplier nanoClock,
      boolean hasShare) {
    this.own = own;
    this.leases = leases;
    this.nanoClock = nanoClock;
    this.ofLeases =
        new DegradingStore(own, outages, leases::partOf, liveNodes, nanoClock, hasShare);
  }

  /** Admits a charge on one leased bucket alone, if the node has the units. */
  @Override
  public @Nullable Allowed tryAtOnce(Charge charge) {
    return spend(charge, split(charge.demands()));
  }

  private @Nullable Allowed spend(Charge charge, Split split) {
    if (!split.isOneLeased(charge) || !ofLeases.isUndisturbed(charge)) {
      return null;
    }
    long now = nanoClock.getAsLong();
    long used = leases.spendNow(charge, now);
    if (used < 0) {
      return null;
    }
    Allowed allowed = Verdict.allowed(charge.revision(), charge.demands(), used);
    ofLeases.note(charge, allowed, now);
    return allowed;
  }

  /** A charge that accepts less than its cost takes the least of a leased bucket: a node knows only its own part. */
  @Override
  public CompletionStage<StoreAnswer> tryCharge(Charge asked) {
    Split split = split(asked.demands());
    if (split.leased().isEmpty()) {
      return own.tryCharge(asked);
    }
    Charge charge = asked.atLeast();
    Allowed spent = spend(charge, split);
    if (spent != null) {
      return CompletableFuture.completedFuture(new Decided(spent, QueueReport.NONE));
    }
    if (split.hasLeasedOverflow()) {
      return CompletableFuture.failedFuture(new StoreUnavailableException(
          StoreFault.MISCONFIGURED, "a leased bucket cannot overflow, nor be kept for some", null));
    }
    return leasedFirst(charge, split, split.leasedPart(charge));
  }

  // First the units that can be given back: those of the lease, or local ones while the pool is
  // away. Only the answer of the others determines whether they are spent.
  private CompletionStage<StoreAnswer> leasedFirst(Charge charge, Split split, Charge leasedPart) {
    Leases.Takings takings = new Leases.Takings(leasedPart.demands().size());
    return Stages.thenCompose(asked(leasedPart, takings), leased -> {
      StoreAnswer answer = leased.answer();
      if (!isAllowed(answer) || !split.hasOwn(charge)) {
        takings.settle(isAllowed(answer));
        return split.hasOwn(charge)
            ? unlessRepeated(charge, split, takings, merged(charge, split, false, takings, answer))
            : CompletableFuture.completedFuture(answer);
      }
      return own.tryCharge(split.ownPart(charge))
          .whenComplete((ofOwn, error) -> settle(takings, leased, isSpent(ofOwn)))
          .thenApply(ofOwn -> both(charge, split, takings, (Decided) answer, ofOwn));
    });
  }

  // A reservation that already exists needs no room.
  private CompletionStage<StoreAnswer> unlessRepeated(
      Charge charge, Split split, Leases.Takings takings, StoreAnswer denied) {
    boolean mayBe =
        charge.extras().hold().filter(hold -> hold.reserves() && hold.isNamed()).isPresent();
    if (!mayBe) {
      return CompletableFuture.completedFuture(denied);
    }
    return own.peek(split.ownPart(charge))
        .handle((seen, error) -> seen instanceof Decided known && known.isRepeated()
            ? merged(charge, split, true, takings, seen)
            : denied);
  }

  private static void settle(Leases.Takings takings, Counted leased, boolean isSpent) {
    takings.settle(isSpent);
    if (!isSpent) {
      leased.giveBack().run();
    }
  }

  // A charge with a hold has left a record: its answer must not contradict the record.
  private static StoreAnswer both(
      Charge charge, Split split, Leases.Takings takings, Decided ofLeased, StoreAnswer ofOwn) {
    boolean isAlone = ofLeased.decision().degraded() && charge.extras().hold().isEmpty();
    return isAlone && isAllowed(ofOwn) ? ofLeased : merged(charge, split, true, takings, ofOwn);
  }

  private CompletionStage<Counted> asked(Charge leasedPart, Leases.Takings takings) {
    return ofLeases.tryCharge(
        leasedPart, part -> leases.take(part, takings, false), this::reportOwed);
  }

  private CompletionStage<StoreAnswer> reportOwed(Charge owed) {
    Leases.Takings takings = new Leases.Takings(owed.demands().size());
    return leases
        .take(owed, takings, true) // callers are told nothing by it
        .whenComplete((answer, error) -> takings.settle(isAllowed(answer)));
  }

  // A repeated reservation has paid already.
  private static boolean isSpent(@Nullable StoreAnswer answer) {
    return isAllowed(answer) && answer instanceof Decided decided && !decided.isRepeated();
  }

  private static boolean isAllowed(@Nullable StoreAnswer answer) {
    return answer instanceof Decided decided && decided.decision() instanceof Allowed;
  }

  /** Takes from the leased buckets and gives back at once; peeks at the others. */
  @Override
  public CompletionStage<StoreAnswer> peek(Charge charge) {
    Split split = split(charge.demands());
    if (split.leased().isEmpty()) {
      return own.peek(charge);
    }
    Leases.Takings takings = new Leases.Takings(split.leased().size());
    return ofLeases
        .tryCharge(
            split.leasedPart(charge), part -> leases.take(part, takings, true), this::reportOwed)
        .thenCompose(leased -> {
          settle(takings, leased, false);
          StoreAnswer answer = leased.answer();
          boolean isWhole = !split.hasOwn(charge);
          return isWhole || !isAllowed(answer)
              ? CompletableFuture.completedFuture(
                  isWhole ? answer : merged(charge, split, false, takings, answer))
              : own.peek(split.ownPart(charge))
                  .thenApply(ofOwn -> merged(charge, split, true, takings, ofOwn));
        });
  }

  @Override
  public Optional<Decision> foreseen(Charge charge) {
    return split(charge.demands()).leased().isEmpty() ? own.foreseen(charge) : Optional.empty();
  }

  private static StoreAnswer merged(
      Charge charge, Split split, boolean isOwn, Leases.Takings takings, StoreAnswer answer) {
    return answer instanceof Decided decided
        ? new Decided(
            split.merged(charge, decided.decision(), isOwn, takings.used()),
            decided.report(),
            decided.isRepeated())
        : answer;
  }

  // Two lists in one slot overwrite each other and are split again.
  private Split split(List<Demand> demands) {
    int hash = System.identityHashCode(demands);
    int slot = (hash ^ hash >>> 12) & SLOTS - 1;
    Split known = splits.get(slot);
    if (known != null && known.areOf(demands)) {
      return known;
    }
    Split made = Split.of(demands, leases::areOf);
    splits.set(slot, made);
    return made;
  }
}
