package io.weir.core.throttle;

import java.util.concurrent.CompletionStage;

/**
 * The buckets of all subjects, shared by all callers. Safe for use by many threads.
 *
 * <p>Every method is atomic: all buckets of a charge are judged at the same instant, and all or none
 * of them take the cost. Every returned stage completes: with an answer, or exceptionally with a
 * {@link StoreUnavailableException}.
 */
public interface BucketStore {

  /** Takes the cost from every bucket of the charge, or from none of them. */
  CompletionStage<StoreAnswer> tryCharge(Charge charge);

  /**
   * Answers as {@link #tryCharge} would, with the present limits, and changes nothing. The wait can be too short only
   * after a change of policy that shortened a burst and that no charge has applied yet.
   */
  CompletionStage<StoreAnswer> peek(Charge charge);
}
