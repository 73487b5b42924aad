package io.weir.core.throttle;

import io.weir.core.decision.Decision;
import io.weir.core.slot.QueueReport;

/** The answer of a {@link BucketStore}. */
public sealed interface StoreAnswer {

  /**
   * The store decided by the requested revision.
   *
   * @param isRepeated whether the reservation already existed: nothing was taken for this answer
   */
  record Decided(Decision decision, QueueReport report, boolean isRepeated) implements StoreAnswer {

    /** A decision that is not repeated. */
    public Decided(Decision decision, QueueReport report) {
      this(decision, report, false);
    }
  }

  /**
   * The store decided nothing and took nothing, because a newer revision has decided before. The caller reloads the
   * policy and asks again.
   *
   * @param newestRevision the newest revision the store has seen
   */
  record Stale(long newestRevision) implements StoreAnswer {}
}
