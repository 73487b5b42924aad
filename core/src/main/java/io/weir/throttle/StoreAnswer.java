package io.weir.throttle;

import io.weir.decision.Decision;
import io.weir.slot.QueueReport;

/** What a {@link BucketStore} answers. */
public sealed interface StoreAnswer {

  /** The store decided by the revision it was asked with. */
  record Decided(Decision decision, QueueReport report) implements StoreAnswer {}

  /**
   * The store decided nothing and took nothing: a newer revision has decided before. The one who asked
   * reloads the policy and asks again.
   *
   * @param newestRevision the newest revision the store has seen
   */
  record Stale(long newestRevision) implements StoreAnswer {}
}
