package io.weir.node.hold;

import io.weir.core.policy.Refunds;
import io.weir.core.throttle.Ending;
import java.util.OptionalLong;

/**
 * How far an admitted request came, for its charge.
 *
 * @param mayHaveRun whether a server may have executed it
 * @param status of the last answer, 0 if there is none
 * @param hasFailed whether the last answer is a failure, or the server gave none; false if the caller hung up
 */
public record Execution(boolean mayHaveRun, int status, boolean hasFailed) {
  /** No server has seen it. */
  public static final Execution NOT_SENT = new Execution(false, 0, true);

  /** Nothing is known; it may be done. */
  public static final Execution UNKNOWN = new Execution(true, 0, false);

  /**
   * The end of its reservation.
   *
   * @param actual the cost in its answer
   */
  public Ending ending(Refunds refunds, OptionalLong actual) {
    return isCharged(refunds, actual.isPresent())
        ? new Ending.Settled(actual.orElse(Ending.AS_RESERVED))
        : new Ending.Cancelled();
  }

  // A caller must not get its charge back by hanging up.
  private boolean isCharged(Refunds refunds, boolean isKnown) {
    boolean hasLeft = status == 0 && !hasFailed;
    if (!hasLeft && !refunds.mayCharge(status)) {
      return false;
    }
    return isKnown || (mayHaveRun && !(hasFailed && refunds.onFailure()));
  }
}
