package io.weir.node.upstream;

import io.vertx.core.Future;
import io.weir.core.policy.Destination;
import java.util.function.BooleanSupplier;

/** The way of one request through the servers of its destination. Mutable; owned by the request's event loop. */
public interface Course {
  /** The destination, by the policy of the last turn. */
  Destination to();

  /**
   * Waits for a turn.
   *
   * @param isRepeatable whether repeating the request is safe
   * @param deadlineNanos the latest time for its turn
   * @param isGone whether its caller has hung up
   * @return fails with {@link io.weir.node.answer.RefusedException} or {@link GivenUpException}
   */
  Future<SendSlot> next(BooleanSupplier isRepeatable, long deadlineNanos, BooleanSupplier isGone);

  /** Whether there is a server that the request has not been sent to. */
  boolean hasAnother();

  /** Takes another attempt from the budget; false if it is used up. */
  boolean tryPay();

  /** The request is sent again after this wait. */
  void again(long waitMillis);

  /** The request has its answer. */
  void answered();

  /** The last attempt failed. */
  void failed(NotRetried why);

  /** The request got no turn. */
  void refused(String code);

  /** The caller hung up, or did not send its request. */
  void cancelled();
}
