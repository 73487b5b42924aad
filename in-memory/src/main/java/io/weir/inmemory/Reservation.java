package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.kind.KindDemand;
import java.util.List;

/**
 * The record of a request's charge at admission. Refunds and debts are computed from this record alone; a later change
 * of policy plays no part. Immutable.
 *
 * @param cost as requested, in operations
 * @param priceMillis the price of each operation, in thousandths
 * @param expiresMicros the time when it expires
 * @param refundsOnExpiry whether everything is given back then
 */
public record Reservation(
    long cost,
    long priceMillis,
    long expiresMicros,
    boolean refundsOnExpiry,
    List<OfBucket> buckets,
    List<OfKind> kinds) {

  public Reservation {
    buckets = List.copyOf(buckets);
    kinds = List.copyOf(kinds);
  }

  /**
   * The units taken of a bucket, for each operation.
   *
   * @param mark of the reservation among the {@link Marks} of the bucket
   */
  public record OfBucket(Bucket bucket, long unitsPerOperation, boolean perRequest, long mark) {

    /** The record of a demand. */
    public static OfBucket of(Demand demand, long mark) {
      return new OfBucket(demand.bucket(), demand.unitsPerOperation(), demand.perRequest(), mark);
    }
  }

  /** The usage taken of a limit of another kind. */
  public record OfKind(KindDemand demand, long mark) {}

  /** The reservation with a later expiry. */
  public Reservation until(long micros) {
    return new Reservation(cost, priceMillis, micros, refundsOnExpiry, buckets, kinds);
  }

  /**
   * Returns the difference between the actual cost and the reserved cost, in units of a bucket: positive for a debt,
   * negative for a refund. It is 0 for a bucket that counts requests.
   */
  public long owed(OfBucket bucket, long actualCost) {
    return bucket.perRequest
        ? 0
        : units(bucket, charged(actualCost)) - units(bucket, charged(cost));
  }

  /** Whether a bucket cannot count the units of the actual cost. */
  public boolean isBeyondCounting(OfBucket bucket, long actualCost) {
    return !bucket.perRequest && units(bucket, charged(actualCost)) >= Counter.MOST;
  }

  /** The difference if everything is given back. */
  public long refund(OfBucket bucket) {
    return -(bucket.perRequest ? bucket.unitsPerOperation : units(bucket, charged(cost)));
  }

  /** Operations at the price of the reservation. */
  public long charged(long operations) {
    return CongestionModel.priced(operations, priceMillis);
  }

  private static long units(OfBucket bucket, long operations) {
    return operations > Counter.MOST / bucket.unitsPerOperation
        ? Counter.MOST
        : operations * bucket.unitsPerOperation;
  }
}
