package io.weir.state.wire;

import io.weir.core.throttle.Charge;
import org.jspecify.annotations.Nullable;

/**
 * The cost of a charge for Redis in one lane, in microseconds of a small machine at best, and the most that one call
 * may carry. A call blocks Redis for its whole length, so it is bounded by the sum of its weights: charges of rates are
 * light, charges of several kinds and places are heavy.
 *
 * @param charge of each charge
 * @param bucket of each bucket that it demands from
 * @param sharedState of each state of a tenant or of the cluster that it reads in addition to its key's
 * @param mixed of each charge of several kinds, in addition
 */
public record Weights(int charge, int bucket, int sharedState, int mixed) {
  /** The most that one call carries, unless a single charge weighs more. */
  public static final int MOST = 600;

  /** Of each limit of another kind than a rate. */
  static final int KIND = 8;

  /** Of each permit: it is an entry of its own. */
  static final int PERMIT = 16;

  /** Of each reservation: it is a record of its own. */
  private static final int RESERVATION = 12;

  /** In the lane of rates. */
  static final Weights OF_RATES = new Weights(6, 1, 2, 0);

  /** In the lane of several kinds. */
  static final Weights OF_KINDS = new Weights(20, 3, 2, 0);

  /** In the lane of queues. */
  static final Weights OF_PLACES = new Weights(30, 7, 7, 20);

  /** The weight of one charge. */
  int of(Charge chargeOf, ChargeTemplate template, @Nullable OthersTemplate others) {
    int rates = charge
        + bucket * template.demands().size()
        + sharedState * template.sharedStates()
        + (chargeOf.isMixed() ? mixed : 0);
    boolean reserves =
        chargeOf.extras().hold().isPresent() && chargeOf.extras().hold().get().reserves();
    return rates + (others == null ? 0 : others.weight()) + (reserves ? RESERVATION : 0);
  }
}
