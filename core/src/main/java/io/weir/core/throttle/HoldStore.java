package io.weir.core.throttle;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The permits and reservations of requests. Safe for use by many threads. Every returned stage completes: with an
 * answer, or exceptionally with a {@link StoreUnavailableException}.
 */
public interface HoldStore {

  /** Ends a hold. The first end counts; any later one gets its result. */
  CompletionStage<Ended> end(Held held, Ending ending);

  /**
   * Renews holds for another lease from now.
   *
   * @return for each hold whether it is still held; an expired one is not
   */
  CompletionStage<List<Boolean>> renew(List<Held> held);

  /** Ends some of the reservations whose time is over, and returns their number. */
  CompletionStage<Integer> expire();
}
