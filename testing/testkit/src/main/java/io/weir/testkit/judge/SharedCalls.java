package io.weir.testkit.judge;

import io.weir.core.throttle.Charge;
import io.weir.core.throttle.JointCharge;
import io.weir.core.throttle.StoreAnswer;
import java.util.List;

/** The calls that only stores of the shared state answer, for a judged history. */
public interface SharedCalls {
  /** Decides charges as one; returns an answer for each, in order. */
  List<StoreAnswer> tryAll(JointCharge joint);

  /**
   * Gives back the cost of a charge that no reservation took.
   *
   * @return the units of its demands, then the operations of its quotas, that were given back
   */
  List<Long> refund(Charge charge);

  /** Takes the cost of a charge, beyond its limits if need be. */
  void owe(Charge charge);
}
