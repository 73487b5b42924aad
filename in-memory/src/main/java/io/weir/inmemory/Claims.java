package io.weir.inmemory;

import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.WHOLE;

/** How much of what a calendar promises is claimed, in quanta. Mutable; owned by the calendar. */
final class Claims {
  private static final long MOST_COUNTED = 1L << 46;

  /** In parts of {@link io.weir.core.slot.SlotLimits#WHOLE}. */
  private long kept = WHOLE;

  private long since;
  private long claimed;
  private long lost;

  Claims(long now) {
    since = now;
  }

  Claims copy() {
    Claims copy = new Claims(since);
    copy.kept = kept;
    copy.claimed = claimed;
    copy.lost = lost;
    return copy;
  }

  void claim(long quanta) {
    claimed = Math.min(MOST_COUNTED, claimed + quanta);
  }

  void lose(long quanta) {
    lost = Math.min(MOST_COUNTED, lost + quanta);
  }

  /** Takes what was counted into account, after a second. */
  void advance(long now) {
    since = Math.min(since, now);
    if (now >= since + SECOND_US && claimed + lost > 0) {
      long ratio = WHOLE * claimed / (claimed + lost);
      kept = Math.max(1, Math.min(WHOLE, (kept + ratio + (claimed > lost ? 1 : 0)) / 2));
      claimed = 0;
      lost = 0;
      since = now;
    }
  }

  /** Whether a new one says as much. */
  boolean isOver(long now, Pace pace) {
    return kept == WHOLE || now >= since + pace.waitedMicros();
  }

  /** The number of {@link io.weir.core.slot.SlotLimits#WHOLE} parts of a promise that weigh in a share. */
  long parts() {
    return Math.max(1, kept * kept / WHOLE);
  }

  /** Whether nearly all that is promised is claimed. */
  boolean areMost() {
    return 4 * parts() >= 3 * WHOLE;
  }
}
