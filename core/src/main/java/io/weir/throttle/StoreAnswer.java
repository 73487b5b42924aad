package io.weir.throttle;

import io.weir.decision.Decision;
import io.weir.slot.QueueReport;

/** What a {@link BucketStore} answers. */
public sealed interface StoreAnswer {

  /**
   * The store decided by the revision it was asked with.
   *
   * @param isRepeated whether the reservation was there already: nothing was taken for this answer
   */
  record Decided(Decision decision, QueueReport report, boolean isRepeated) implements StoreAnswer {

    /** Decided for the first time. */
    public Decided(Decision decision, QueueReport report) {
      this(decision, report, false);
    }
  }

  /**
   * The store decided nothing and took nothing: a newer revision has decided before. The one who asked
   * reloads the policy and asks again.
   *
   * @param newestRevision the newest revision the store has seen
   */
  record Stale(long newestRevision) implements StoreAnswer {}
}
