package io.weir.decision;

import io.weir.bucket.Demand;
import io.weir.bucket.LeakyBucket;
import io.weir.decision.Decision.Allowed;
import io.weir.decision.Decision.Denied;
import io.weir.decision.Decision.NeverAllowed;
import io.weir.decision.Decision.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds decisions from what is used in the buckets. Every store answers through it, so that the same
 * levels give the same words.
 *
 * @param revision the policy's revision
 * @param demands what one operation takes, per bucket
 * @param cost in operations, above 0
 */
public record Verdict(long revision, List<Demand> demands, long cost) {

  /** What the levels mean for the request. */
  public enum Outcome {
    ALLOWED,
    DENIED,
    NEVER_ALLOWED
  }

  /** Decides on what is used now, drained, per demand. Takes nothing. */
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

  /** The units this request takes by the demand at {@code index}. */
  public long units(int index) {
    return demands.get(index).units(cost);
  }

  /**
   * The decision for an outcome.
   *
   * @param wait what a denial tells
   * @param usedUnits per demand: with this request's cost where it is allowed, without it otherwise; nobody
   *     changes them afterwards
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
   * When to come back.
   *
   * @param micros from now on
   * @param estimate whether nothing was promised
   * @param ticket what the caller shows then
   */
  public record Wait(long micros, boolean estimate, Optional<String> ticket) {
    /** For decisions without one. */
    public static final Wait NONE = new Wait(0, true, Optional.empty());
  }
}
