package io.weir.node.envoy;

import io.weir.core.policy.OperationLimit.Limited;
import java.util.concurrent.CompletionStage;

/**
 * Changes of the units that limits of a subject have taken, without a reservation.
 *
 * @param refund gives operations back, as many as are in use
 * @param owe takes operations that are over, beyond the limits if need be
 */
public record Corrections(Correction refund, Correction owe) {
  /** One kind of change. */
  @FunctionalInterface
  public interface Correction {
    /** Changes them by so many operations. */
    CompletionStage<?> apply(String tenant, String subject, Limited limit, long operations);
  }
}
