package io.weir.bucket;

/**
 * What one operation takes from one bucket.
 *
 * @param bucket the bucket that is asked
 * @param unitsPerOperation above 0, at most the bucket's capacity
 */
public record Demand(Bucket bucket, long unitsPerOperation) {

  public Demand {
    if (unitsPerOperation <= 0 || unitsPerOperation > bucket.capacityUnits()) {
      throw new IllegalArgumentException(
          "unitsPerOperation: %d (expected: 1 to %d, the capacity of %s)"
              .formatted(unitsPerOperation, bucket.capacityUnits(), bucket.name()));
    }
  }

  /**
   * The units of a cost in operations. A cost that no capacity holds gives one unit more than the
   * capacity, so that the result stays within the numbers a script can count.
   */
  public long units(long cost) {
    long capacity = bucket.capacityUnits();
    long units = cost * unitsPerOperation;
    boolean overflows = Math.multiplyHigh(cost, unitsPerOperation) != 0 || units < 0;
    return overflows || units > capacity ? capacity + 1 : units;
  }

  /** How many operations fit into this many units. */
  public long operationsIn(long units) {
    return units / unitsPerOperation;
  }
}
