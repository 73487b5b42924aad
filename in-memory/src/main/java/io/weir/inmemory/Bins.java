package io.weir.inmemory;

import static io.weir.core.bucket.LeakyBucket.ceilDiv;
import static io.weir.core.slot.SlotLimits.BINS;
import static io.weir.core.slot.SlotLimits.FINE_BINS;
import static io.weir.core.slot.SlotLimits.WIDEST_US;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;

/**
 * The bins of a calendar. {@code lua/lib/queue/calendar.lua} has the same.
 *
 * @param width of one, in microseconds
 * @param lives for how many bins a due unit is kept, including its own
 */
record Bins(long width, int lives) {
  private static final long FEW_OPERATIONS = 8;
  private static final int FINE_LIVES = 2;
  private static final int WIDE_LIVES = 3;

  /**
   * The bins that suit a cost: fine ones if the bucket holds few operations, or not two such costs of its only key.
   *
   * @param cost in units
   */
  static Bins of(Demand demand, long cost) {
    Bucket bucket = demand.bucket();
    long capacity = bucket.capacityUnits();
    boolean isOwn = bucket.scope() == Scope.KEY;
    boolean holdsFew =
        capacity / FEW_OPERATIONS < demand.unitsPerOperation() || (isOwn && capacity / 2 < cost);
    long burst = capacity / bucket.unitsPerMicro();
    long operation = ceilDiv(demand.unitsPerOperation(), bucket.unitsPerMicro());
    long width =
        Math.max(1000, Math.min(Math.max(WIDEST_US, operation / 8), burst / (holdsFew ? 32 : 8)));
    return new Bins(width, holdsFew ? FINE_LIVES : WIDE_LIVES);
  }

  /** Whether several places of a bin come one after another. */
  boolean areWide() {
    return lives > FINE_LIVES;
  }

  /** How many there are at most. */
  long most() {
    return areWide() ? BINS : FINE_BINS;
  }

  /** How far ahead they reach, in microseconds. */
  long reachMicros() {
    return most() * width;
  }
}
