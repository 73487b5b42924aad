package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.MOST_WAITING;

/**
 * Counts the keys or tenants that wait for a shared bucket: those that were denied or got a place in this interval or
 * the one before. Mutable; owned by a calendar.
 */
final class Waiting {
  private final long sharedMicros;
  private long round;
  private long here;
  private long before;

  /** Counts by such intervals. */
  Waiting(long sharedMicros) {
    this.sharedMicros = sharedMicros;
  }

  Waiting copy() {
    Waiting copy = new Waiting(sharedMicros);
    copy.round = round;
    copy.here = here;
    copy.before = before;
    return copy;
  }

  private long roundOf(long now) {
    return now / sharedMicros;
  }

  private void roll(long now) {
    long present = roundOf(now);
    if (present != round) {
      before = present == round + 1 ? here : 0;
      here = 0;
      round = present;
    }
  }

  /** Drops an interval ahead of the present one and the next: the clock was set back. */
  void dropAhead(long now) {
    round = round > roundOf(now) + 1 ? 0 : round;
  }

  boolean isOver(long now) {
    long present = roundOf(now);
    return present == round ? here + before == 0 : present != round + 1 || here == 0;
  }

  /** The number of those that wait, with this one among them; changes nothing. */
  long with(Line line, long now) {
    Waiting then = copy();
    then.roll(now);
    boolean isCounted = line.round == then.round || line.round == then.round - 1;
    long all = Math.max(then.here, then.before) + (isCounted ? 0 : 1);
    return Math.min(MOST_WAITING, Math.max(1, all));
  }

  /** Counts one that waits. */
  void count(Line line, long now) {
    roll(now);
    if (line.round != round) {
      line.round = round;
      here = Math.min(MOST_WAITING, here + 1);
    }
  }
}
