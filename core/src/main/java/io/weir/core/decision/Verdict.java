package io.weir.core.decision;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Decision.Allowed;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Decision.NeverAllowed;
import io.weir.core.decision.Decision.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds decisions from the levels of the buckets. Every store answers through it, so that equal levels give equal
 * answers.
 *
 * @param revision the policy's revision
 * @param demands the demands of one operation, one per bucket
 * @param cost in operations, above 0
 */
public record Verdict(long revision, List<Demand> demands, long cost) {

  /** The result of comparing the levels with the request. */
  public enum Outcome {
    ALLOWED,
    DENIED,
    NEVER_ALLOWED
  }

  /** Decides from the present, drained usage, one entry per demand. Takes nothing. */
  public Outcome outcome(long[] usedUnits) {
    boolean fits = true;
    for (int i = 0; i < demands.size(); i++) {
      if (!LeakyBucket.canHold(demands.get(i).bucket(), units(i))) {
        return Outcome.NEVER_ALLOWED;
      }
      fits = fits && fits(i, usedUnits);
    }
    return fits ? Outcome.ALLOWED : Outcome.DENIED;
  }

  /** The units that this request takes through the demand at {@code index}. */
  public long units(int index) {
    return demands.get(index).units(cost);
  }

  /**
   * The decision for an outcome.
   *
   * @param wait the wait of a denial
   * @param usedUnits per demand: with this request's cost if it is allowed, without it otherwise; not modified
   *     afterwards
   */
  public Decision decision(Outcome outcome, long[] usedUnits, Wait wait) {
    List<Limit> limits = new Limits(demands, usedUnits);
    return switch (outcome) {
      case ALLOWED -> new Allowed(revision, limits);
      case DENIED ->
        new Denied(
            revision, limits, full(usedUnits), wait.micros(), wait.estimate(), wait.ticket());
      case NEVER_ALLOWED ->
        new NeverAllowed(revision, limits, full(usedUnits), Reason.COST_EXCEEDS_CAPACITY);
    };
  }

  /**
   * The admission by the only demand; the most frequent decisions need no verdict.
   *
   * @param usedUnits of its bucket, with this request's cost
   */
  public static Allowed allowed(long revision, List<Demand> demands, long usedUnits) {
    return new Allowed(revision, new Limits(demands, usedUnits));
  }

  private List<String> full(long[] usedUnits) {
    List<String> names = new ArrayList<>(demands.size());
    for (int i = 0; i < demands.size(); i++) {
      if (!fits(i, usedUnits)) {
        names.add(demands.get(i).bucket().name());
      }
    }
    return names;
  }

  private boolean fits(int index, long[] usedUnits) {
    return LeakyBucket.fits(demands.get(index).bucket(), usedUnits[index], units(index));
  }

  /**
   * The wait of a denial.
   *
   * @param micros from now on
   * @param estimate whether the wait is an estimate, with nothing promised
   * @param ticket the ticket to show on return
   */
  public record Wait(long micros, boolean estimate, Optional<String> ticket) {
    /** For decisions without a wait. */
    public static final Wait NONE = new Wait(0, true, Optional.empty());
  }
}
