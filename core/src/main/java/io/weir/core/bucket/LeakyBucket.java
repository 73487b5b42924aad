package io.weir.core.bucket;

/**
 * The arithmetic of a leaky bucket: pure functions on units and microseconds. Every value in and out
 * is at least 0 and below 2⁵³.
 */
public final class LeakyBucket {

  private LeakyBucket() {}

  /** Returns the rest of {@code usedUnits} after {@code elapsedMicros} of draining. */
  public static long drained(long usedUnits, long unitsPerMicro, long elapsedMicros) {
    // The product may pass 2⁶³ if the bucket was idle for long.
    long drained = elapsedMicros * unitsPerMicro;
    boolean overflows = Math.multiplyHigh(elapsedMicros, unitsPerMicro) != 0 || drained < 0;
    return overflows || drained >= usedUnits ? 0 : usedUnits - drained;
  }

  /** Whether {@code costUnits} can ever pass. */
  public static boolean canHold(Bucket bucket, long costUnits) {
    return costUnits <= bucket.capacityUnits();
  }

  /** Whether {@code costUnits} passes now. */
  public static boolean fits(Bucket bucket, long usedUnits, long costUnits) {
    return canHold(bucket, costUnits) && usedUnits <= bucket.capacityUnits() - costUnits;
  }

  /**
   * Returns the exact wait, rounded up to whole microseconds: a request after that wait passes, one microsecond earlier
   * it does not. 0 if it fits now.
   *
   * @param costUnits at most the bucket's capacity
   */
  public static long waitMicros(Bucket bucket, long usedUnits, long costUnits) {
    long excess = usedUnits - (bucket.capacityUnits() - costUnits);
    return excess <= 0 ? 0 : ceilDiv(excess, bucket.unitsPerMicro());
  }

  /** The time until the bucket is empty, rounded up. */
  public static long emptyAfterMicros(long usedUnits, long unitsPerMicro) {
    return ceilDiv(usedUnits, unitsPerMicro);
  }

  /** Divides and rounds up, also for a negative dividend; the divisor is above 0. */
  public static long ceilDiv(long dividend, long divisor) {
    return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
  }
}
