package io.weir.inmemory;

/**
 * The largest cost that waits for a bucket without a place. Others that cost less pass it until they have taken as much
 * as it asks for; from then on each of them leaves it room. Mutable; owned by the calendar of the bucket. {@code
 * lua/lib/queue/larger.lua} has the same.
 */
final class Larger {
  private long cost;
  private long until;

  /** The amount that other callers have taken meanwhile. */
  private long passed;

  Larger copy() {
    Larger copy = new Larger();
    copy.cost = cost;
    copy.until = until;
    copy.passed = passed;
    return copy;
  }

  /** Forgets one that is ahead of this instant, of a clock that was set back. */
  void dropAhead(long furthest) {
    until = until > furthest ? 0 : until;
  }

  boolean isOver(long now) {
    return until <= now;
  }

  /** How many units a request that takes this many leaves free for it. */
  long leftBy(long units, long now) {
    return isOver(now) || passed + units <= cost ? 0 : Math.max(0, cost - units);
  }

  /** A request of this cost waits until then; of a cost above half of the capacity, half is kept free. */
  void waits(long units, long capacity, long now, long end) {
    long least = Math.min(units, capacity / 2);
    if (isOver(now)) {
      passed = 0;
    }
    if (isOver(now) || least >= cost) {
      cost = least;
      until = end;
    }
  }

  /** A request of this cost was admitted. */
  void take(long units) {
    passed = units >= cost ? 0 : Math.min(cost, passed + units);
  }
}
