package io.weir.state.lease;

import io.weir.core.bucket.Demand;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Limit;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import io.weir.core.throttle.Amount;
import io.weir.core.throttle.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The demands of an operation, divided into those on leased buckets and the others. One for all charges of an operation
 * by a plan.
 *
 * @param all of the operation; compared by identity
 * @param leased the others are {@code own}
 * @param hasLeasedOverflow whether a leased bucket is part of an overflow pair: the two buckets cannot be asked at once
 */
record Split(List<Demand> all, List<Demand> leased, List<Demand> own, boolean hasLeasedOverflow) {

  static Split of(List<Demand> demands, Predicate<Demand> isLeased) {
    // Copied here once: a charge keeps the identity of a list that needs no copy.
    List<Demand> own = List.copyOf(demands.stream().filter(isLeased.negate()).toList());
    List<Demand> leased =
        own.isEmpty() ? demands : List.copyOf(demands.stream().filter(isLeased).toList());
    return new Split(demands, leased, own, hasLeasedOverflow(demands, leased));
  }

  /** Whether it is the split of exactly this list. */
  @SuppressWarnings("ReferenceEquality") // templates are compared by identity, too
  boolean areOf(List<Demand> demands) {
    return all == demands;
  }

  /** Whether one leased bucket is all that the charge demands. */
  boolean isOneLeased(Charge charge) {
    return all.size() == 1 && !hasLeasedOverflow && !hasOwn(charge);
  }

  /** The part of a charge on leased buckets. */
  Charge leasedPart(Charge charge) {
    return hasOwn(charge) ? charge.with(Amount.ofRates(leased, charge.cost())) : charge;
  }

  /** Whether the charge demands anything other than leased buckets. */
  boolean hasOwn(Charge charge) {
    return !own.isEmpty() || !charge.extras().isEmpty();
  }

  private static boolean hasLeasedOverflow(List<Demand> all, List<Demand> leased) {
    return IntStream.range(0, all.size())
        .anyMatch(i ->
            leased.contains(all.get(i)) && (all.get(i).overflow() || Demand.hasOverflow(all, i)));
  }

  /** The part of a charge on all other buckets and limits. */
  Charge ownPart(Charge charge) {
    return charge.with(charge.amount().withDemands(own));
  }

  /**
   * The decision on the whole, after one part has decided.
   *
   * @param decided by the part that decides
   * @param isOwn whether that part is the one without the leased buckets
   * @param leasedUnits the units used of the leased buckets, in their order
   */
  Decision merged(Charge charge, Decision decided, boolean isOwn, long[] leasedUnits) {
    if (decided.degraded()) {
      return decided;
    }
    if (charge.isMixed() || (isOwn && decided.limits().size() != own.size())) {
      return isOwn ? beside(charge, decided, leasedUnits) : decided;
    }
    long[] used = new long[all.size()];
    int ofLeased = 0;
    int ofOwn = 0;
    List<Limit> limits = decided.limits();
    for (int i = 0; i < used.length; i++) {
      if (leased.contains(all.get(i))) {
        used[i] = leasedUnits[ofLeased++];
      } else if (isOwn) {
        used[i] = limits.get(ofOwn++).usedUnits();
      }
    }
    return decided.fold(
        (Allowed allowed) -> charge.verdict().decision(Outcome.ALLOWED, used, Wait.NONE),
        (Denied denied) -> charge
            .verdict()
            .decision(
                Outcome.DENIED,
                used,
                new Wait(denied.retryAfterMicros(), denied.estimate(), denied.ticket())),
        (NeverAllowed never) -> charge.verdict().decision(Outcome.NEVER_ALLOWED, used, Wait.NONE));
  }

  // The limits of other kinds are listed after those of the buckets.
  private Decision beside(Charge charge, Decision decided, long[] leasedUnits) {
    List<Limit> limits = new ArrayList<>(new Verdict(charge.revision(), leased, charge.cost())
        .decision(Outcome.ALLOWED, leasedUnits, Wait.NONE)
        .limits());
    limits.addAll(decided.limits());
    return decided.fold(
        allowed -> new Allowed(allowed.revision(), limits, false, allowed.remarks()),
        denied -> new Denied(
            denied.revision(),
            limits,
            denied.full(),
            denied.retryAfterMicros(),
            denied.estimate(),
            denied.ticket(),
            false,
            denied.remarks()),
        never -> new NeverAllowed(never.revision(), limits, never.full(), never.reason()));
  }
}
