package io.weir.state.wire;

import io.weir.core.throttle.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a charge for Redis in one lane, in microseconds of a small machine at best, and the most that one call
 * may carry. A call blocks Redis for its whole length, so it is bounded by the sum of its weights: charges of rates are
 * light, charges of several kinds and those of owners who wait are heavy. Owners may wait without being known to: a script
 * that has decided enough of those leaves the rest of its call undecided ({@link Codes#LATER}).
 *
 * @param charge of each charge
 * @param bucket of each bucket that it demands from
 * @param sharedState of each state of a tenant or of the cluster that it reads in addition to its key's
 */
public record Weights(int charge, int bucket, int sharedState) {
  /** The most that one call carries, unless a single charge weighs more. */
  public static final int MOST = 600;

  /** The weight of each limit of another kind than a rate. */
  static final int KIND = 8;

  /** The weight of each permit: it is an entry of its own. */
  static final int PERMIT = 16;

  /** The weight of each reservation: it is a record of its own. */
  private static final int RESERVATION = 12;

  /** The weight of each charge that accepts less than its cost: what its limits have room for is found first. */
  private static final int PARTIAL = 30;

  /** The weight of each charge and each bucket of an owner who waits, in addition. */
  private static final int QUEUED = 12;

  private static final int QUEUED_BUCKET = 6;

  /** The weight of the next of several equal charges of an owner who waits, in addition to its buckets. */
  private static final int EQUAL_QUEUED = 2;

  /** In the lane of rates. */
  static final Weights OF_RATES = new Weights(6, 1, 2);

  /** In the lane of several kinds. */
  static final Weights OF_KINDS = new Weights(20, 3, 2);

  /** The weight of one charge; {@code isEqual} if it joins an equal one. */
  int of(
      PendingCharge pending,
      ChargeTemplate template,
      @Nullable OthersTemplate others,
      boolean isEqual) {
    int buckets = template.demands().size();
    if (isEqual) {
      return pending.isQueued() ? EQUAL_QUEUED + QUEUED_BUCKET * buckets : 0;
    }
    int rates = charge + bucket * buckets + sharedState * template.sharedStates();
    int queued = pending.isQueued() ? QUEUED + QUEUED_BUCKET * buckets : 0;
    return rates
        + queued
        + (others == null ? 0 : others.weight())
        + (reserves(pending.charge()) ? RESERVATION : 0)
        + (pending.charge().isPartial() ? PARTIAL : 0);
  }

  private static boolean reserves(Charge charge) {
    return charge.extras().hold().isPresent() && charge.extras().hold().get().reserves();
  }
}
