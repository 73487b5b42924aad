package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.FURTHEST_US;
import static io.weir.core.slot.SlotLimits.ON_ITS_WAY_US;
import static io.weir.core.slot.SlotLimits.SECOND_US;
import static io.weir.core.slot.SlotLimits.SLICE_US;

/**
 * The callers of a key without tickets that make one kind of request, counted by the operations that they ask for.
 * Mutable; owned by the key's waiter. {@code lua/lib/queue/strangers.lua} has the same.
 */
final class Strangers {
  private static final long MOST = (1L << 32) - 1;
  private static final long MOST_EXPECTED = 10_000_000;
  private static final long IN_A_SECOND = SECOND_US / SLICE_US;

  private long slice;

  /** Asked for in this slice of time, without those that a moment was kept for. */
  private long together;

  /** Asked for in this second, and by those among them that a moment was kept for. */
  private long asked;

  private long came;

  /** Asked for in an earlier second by those that no moment was kept for. */
  private long before;

  /** Nobody has been counted yet: so many operations are expected in a second. */
  Strangers(long now, long drained) {
    this.slice = now / SLICE_US;
    this.before = Math.min(MOST, drained);
  }

  private Strangers(Strangers of) {
    this.slice = of.slice;
    this.together = of.together;
    this.asked = of.asked;
    this.came = of.came;
    this.before = of.before;
  }

  Strangers copy() {
    return new Strangers(this);
  }

  void ask(long now, long cost) {
    moveTo(now / SLICE_US);
    asked = Math.min(MOST, asked + cost);
    together = Math.min(MOST, together + cost);
  }

  private void moveTo(long present) {
    long passed = Math.abs(present / IN_A_SECOND - slice / IN_A_SECOND);
    if (passed > 0) {
      before = (before + Math.max(0, asked - came)) / (1 + passed);
      asked = 0;
      came = 0;
    }
    together = present == slice ? together : 0;
    slice = present;
  }

  /** A moment was kept for one that has asked. */
  void claim(long cost) {
    came = Math.min(MOST, came + cost);
    together = Math.max(0, together - cost);
  }

  /**
   * How many costs others are expected to ask for in a bin of this width, beside one that asks for this cost: as much
   * as in its time, or as all that came together just now.
   */
  long company(long width, long cost) {
    long most = Math.min(MOST_EXPECTED, ceilDiv(Math.max(before, asked - came - cost), cost));
    long apart = ceilDiv(most * (Math.min(width, FURTHEST_US) + ON_ITS_WAY_US) * 3, 2 * SECOND_US);
    return Math.max(apart, ceilDiv(together - cost, cost));
  }
}
