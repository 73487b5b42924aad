package io.weir.core.bucket;

import java.util.List;

/**
 * The units that one operation takes from one bucket.
 *
 * @param bucket the bucket that is charged
 * @param unitsPerOperation above 0, at most the bucket's capacity
 * @param perRequest whether each request counts as one operation, whatever its cost
 * @param overflow whether it is used only if the demand before it has no room
 */
public record Demand(Bucket bucket, long unitsPerOperation, boolean perRequest, boolean overflow) {

  /** A demand that counts the cost and is always used. */
  public Demand(Bucket bucket, long unitsPerOperation) {
    this(bucket, unitsPerOperation, false, false);
  }

  /** One logical operation of a bucket. */
  public static Demand of(Bucket bucket) {
    return of(bucket, 1);
  }

  /** A demand of {@code logicalOperations} operations of a bucket. */
  public static Demand of(Bucket bucket, long logicalOperations) {
    return new Demand(bucket, Math.multiplyExact(logicalOperations, bucket.unitsPerOperation()));
  }

  public Demand {
    if (unitsPerOperation <= 0 || unitsPerOperation > bucket.capacityUnits()) {
      throw new IllegalArgumentException(
          "unitsPerOperation: %d (expected: 1 to %d, the capacity of %s)"
              .formatted(unitsPerOperation, bucket.capacityUnits(), bucket.name()));
    }
  }

  /**
   * Converts a cost in operations into units. A cost above every capacity gives the capacity plus one unit, so that the
   * result stays within the numbers that a script can count.
   */
  public long units(long cost) {
    long capacity = bucket.capacityUnits();
    if (perRequest) {
      return unitsPerOperation;
    }
    long units = cost * unitsPerOperation;
    boolean overflows = Math.multiplyHigh(cost, unitsPerOperation) != 0 || units < 0;
    return overflows || units > capacity ? capacity + 1 : units;
  }

  /** Whether the demand at an index is followed by an overflow demand. */
  public static boolean hasOverflow(List<Demand> demands, int index) {
    return index + 1 < demands.size() && demands.get(index + 1).overflow;
  }

  /** The number of logical operations of the bucket in one operation. */
  public long logicalOperations() {
    return unitsPerOperation / bucket.unitsPerOperation();
  }

  /** The number of operations that fit into this many units. */
  public long operationsIn(long units) {
    return units / unitsPerOperation;
  }
}
