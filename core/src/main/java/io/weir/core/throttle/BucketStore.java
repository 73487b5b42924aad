package io.weir.core.throttle;

import io.weir.core.decision.Decision;
import io.weir.core.decision.Decision.Allowed;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
   * Takes the cost if that is possible without asking elsewhere, as {@link #tryCharge} would.
   *
   * @param charge its way to wait is ignored
   * @return the admission; null if {@link #tryCharge} has to decide: nothing was taken
   */
  default @Nullable Allowed tryAtOnce(Charge charge) {
    return null;
  }

  /**
   * Answers as {@link #tryCharge} would, with the present limits, and changes nothing. The wait can be too short only
   * after a change of policy that shortened a burst and that no charge has applied yet.
   */
  CompletionStage<StoreAnswer> peek(Charge charge);

  /**
   * The denial that {@link #tryCharge} would give to this charge and to every larger one without asking elsewhere, if it
   * is known. Takes nothing, and makes no place.
   */
  default Optional<Decision> foreseen(Charge charge) {
    return Optional.empty();
  }
}
