package io.weir.model;

import io.weir.bucket.Bucket;
import io.weir.bucket.Demand;
import io.weir.kind.KindDemand;
import java.util.List;

/**
 * The record of what a request took when it was admitted. Refunds and debts are computed from this record alone; a policy
 * that has changed meanwhile plays no part. Immutable.
 *
 * @param cost as it was asked, in operations
 * @param priceMillis what each of them cost, in thousandths
 * @param expiresMicros when its time is over
 * @param refundsOnExpiry whether all is given back then
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

  /** What was taken of a bucket, for each operation. */
  public record OfBucket(Bucket bucket, long unitsPerOperation, boolean perRequest) {

    /** The same of a demand. */
    public static OfBucket of(Demand demand) {
      return new OfBucket(demand.bucket(), demand.unitsPerOperation(), demand.perRequest());
    }
  }

  /** What was taken of a limit of another kind. */
  public record OfKind(KindDemand demand, long mark) {}

  /** The same for longer. */
  public Reservation until(long micros) {
    return new Reservation(cost, priceMillis, micros, refundsOnExpiry, buckets, kinds);
  }

  /**
   * The difference between the actual cost and the reserved cost, in units of a bucket: positive for a debt, negative for
   * a refund. It is 0 for a bucket that counts requests.
   */
  public long owed(OfBucket bucket, long actualCost) {
    return bucket.perRequest
        ? 0
        : units(bucket, charged(actualCost)) - units(bucket, charged(cost));
  }

  /** Whether a bucket cannot count what the actual cost takes of it. */
  public boolean isBeyondCounting(OfBucket bucket, long actualCost) {
    return !bucket.perRequest && units(bucket, charged(actualCost)) >= Counter.MOST;
  }

  /** The same where all is given back. */
  public long refund(OfBucket bucket) {
    return -(bucket.perRequest ? bucket.unitsPerOperation : units(bucket, charged(cost)));
  }

  /** Operations at the price of then. */
  public long charged(long operations) {
    return CongestionModel.priced(operations, priceMillis);
  }

  private static long units(OfBucket bucket, long operations) {
    return operations > Counter.MOST / bucket.unitsPerOperation
        ? Counter.MOST
        : operations * bucket.unitsPerOperation;
  }
}
