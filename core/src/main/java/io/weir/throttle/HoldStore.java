package io.weir.throttle;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What requests hold: permits, and what they reserved. Safe for use by many threads. Every returned stage completes: with
 * an answer, or exceptionally with a {@link StoreUnavailableException}.
 */
public interface HoldStore {

  /** Ends a hold; the first end counts, and any other is told of it. */
  CompletionStage<Ended> end(Held held, Ending ending);

  /**
   * Holds on for another lease from now.
   *
   * @return for each whether it is held; what has expired meanwhile is not
   */
  CompletionStage<List<Boolean>> renew(List<Held> held);

  /** Ends reservations whose time is over, some of them; gives how many. */
  CompletionStage<Integer> expire();
}
