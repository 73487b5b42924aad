package io.weir.inmemory;

/** The room that a request leaves free in a shared bucket for other callers. */
final class Spare {
  private static final long FEWEST_COSTS = 4;
  private static final long STEPS = 32;

  private Spare() {}

  /**
   * Some room for children within their share while several wait; a newcomer that can have a ticket leaves as much again
   * to those that have waited.
   *
   * @param cost of the request, in units
   */
  static long of(BucketView view, long cost, boolean waited, boolean wantsTicket) {
    long capacity = view.bucket().capacityUnits();
    if (!view.isShared() || capacity / FEWEST_COSTS < cost || view.isMine(waited)) {
      return 0;
    }
    long steps = (view.waiting() > 1 ? 1L : 0) + (wantsTicket && !waited ? 1L : 0);
    return steps
        * Math.max(capacity / STEPS, Math.min(view.demand().unitsPerOperation(), capacity / 8));
  }
}
