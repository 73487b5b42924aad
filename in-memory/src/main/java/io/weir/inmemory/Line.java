package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.SECOND_US;

/**
 * A key or tenant that waits for a shared bucket, kept with its own state. Mutable. {@code lua/lib/queue/line.lua} has
 * the same.
 */
final class Line {
  private final long sharedMicros;

  /** Until when it has had its share. */
  long served;

  /** Its last turn. */
  long turn;

  /** The interval in which it was counted last. */
  long round;

  /** A new one, of a bucket that counts those that wait by such intervals. */
  Line(long sharedMicros) {
    this.sharedMicros = sharedMicros;
  }

  Line copy() {
    Line copy = new Line(sharedMicros);
    copy.served = served;
    copy.turn = turn;
    copy.round = round;
    return copy;
  }

  /** Drops an interval ahead of the present one and the next: the clock was set back. */
  void dropAhead(long now) {
    round = round > now / sharedMicros + 1 ? 0 : round;
  }

  /** Whether it says no more than a new one. */
  boolean isOver(long now) {
    return served <= now - SECOND_US && turn <= now && !isCounted(now);
  }

  private boolean isCounted(long now) {
    long present = now / sharedMicros;
    return round == present || round == present - 1;
  }

  /**
   * Moves its share on.
   *
   * @param each the time that the cost takes at the whole rate
   * @param of and {@code parts}: the cost takes {@code of / parts} times as long at the rate of the share
   * @param latest the furthest instant
   */
  void takes(long each, long of, long parts, long now, long latest) {
    if (each > (latest - now) / of * parts) {
      served = latest;
      return;
    }
    long time = ceilDiv(each * of, parts);
    served = Math.min(latest, Math.max(served, now - Math.min(SECOND_US, 2 * time)) + time);
  }
}
