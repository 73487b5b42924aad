package io.weir.node.resp.limit;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Rate;
import io.weir.core.bucket.Scope;
import java.math.BigInteger;

/**
 * A limit that a request carries: so many operations in a period, and so many at once.
 *
 * @param atOnce 1 to {@link #MOST}
 * @param count 1 to {@link #MOST}
 * @param periodSeconds 1 to {@link #MAX_SECONDS}
 */
public record RequestLimit(long atOnce, long count, long periodSeconds) {
  /** The operation that it limits. */
  public static final String OPERATION = "throttle";
  /** The most operations at once, and in a period. */
  public static final long MOST = 1_000_000_000;
  /** The longest period, and the longest time that a full limit may take to drain. */
  public static final long MAX_SECONDS = 365L * 86_400;
  /** The name of its bucket. The colon makes it no name of a bucket of the policy, which a key may have beside it. */
  public static final String BUCKET = "request:" + OPERATION;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long MILLIS_PER_SECOND = 1000;
  private static final long MICROS_PER_MILLI = 1000;
  private static final long MILLION = 1_000_000;

  /**
   * Its bucket, which holds {@code atOnce} operations, or as many more as drain in the last millisecond of its burst:
   * only a rate above 1000 a second has more than one.
   */
  Bucket bucket() {
    long longest = drainMillis().longValueExact();
    longest += longest / MILLION + 1; // a rate that is not counted exactly is as much slower
    Rate rate = Rate.countable(count, periodSeconds * MICROS_PER_SECOND, longest);
    BigInteger units = product(atOnce, rate.unitsPerOperation());
    BigInteger millis = ceilDiv(units, product(rate.unitsPerMicro(), MICROS_PER_MILLI));
    return new Bucket(BUCKET, Scope.KEY, rate, millis.longValueExact());
  }

  /** The time that the full limit takes to drain, in milliseconds, rounded up. */
  BigInteger drainMillis() {
    BigInteger millis = product(periodSeconds, MILLIS_PER_SECOND);
    return ceilDiv(millis.multiply(BigInteger.valueOf(atOnce)), BigInteger.valueOf(count));
  }

  private static BigInteger product(long one, long other) {
    return BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
  }

  private static BigInteger ceilDiv(BigInteger dividend, BigInteger divisor) {
    return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
  }
}
