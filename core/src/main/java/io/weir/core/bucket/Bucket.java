package io.weir.core.bucket;

import static java.util.Objects.requireNonNull;

import java.math.BigInteger;

/**
 * The shape of a leaky bucket: its drain rate and its capacity. It has no state.
 *
 * <p>It counts in units of its {@link Rate}, so that every number of a decision is exact except the wait, which is
 * rounded up. The model is the discrete leaky bucket of Hedera's throttles ({@code DiscreteLeakyBucket} and {@code
 * BucketThrottle} in hashgraph/hedera-services), in microseconds instead of nanoseconds, and in the coarsest units that
 * are exact.
 *
 * @param name 1 to 80 characters of {@code A-Z a-z 0-9 . _ : -}
 * @param scope which requests share the bucket
 * @param rate the drain rate, in logical operations
 * @param burstMillis the time that a full bucket takes to drain, in milliseconds, above 0, at most 366 days
 * @param leased whether nodes and programs hold leases of it wherever it is kept
 */
public record Bucket(String name, Scope scope, Rate rate, long burstMillis, boolean leased) {

  /**
   * The bound on {@code unitsPerMicro × burstMillis}. With it the capacity stays below 2⁵³, the last
   * integer a Lua number holds exactly.
   */
  public static final long MAX_PRECISION = 9_007_000_000_000L;

  /** The longest burst, a leap year: with it every instant in an answer stays below 2⁵³ microseconds. */
  public static final long MAX_BURST_MILLIS = 366L * 24 * 3600 * 1000;

  private static final long MICROS_PER_MILLI = 1000;

  /** A bucket without leases, except where the store requires them. */
  public Bucket(String name, Scope scope, Rate rate, long burstMillis) {
    this(name, scope, rate, burstMillis, false);
  }

  /** A bucket with a rate in thousandths of operations per second. */
  public Bucket(String name, Scope scope, long milliOpsPerSec, long burstMillis) {
    this(name, scope, Rate.ofMilliOpsPerSec(milliOpsPerSec), burstMillis);
  }

  public Bucket {
    Names.requireBucket(name);
    requireNonNull(scope, "scope");
    requireNonNull(rate, "rate");
    if (burstMillis <= 0) {
      throw new IllegalArgumentException("burstMillis: %d (expected: > 0)".formatted(burstMillis));
    }
    if (burstMillis > MAX_BURST_MILLIS) {
      throw new IllegalArgumentException("burstMillis: %d (expected: at most %d, 366 days)"
          .formatted(burstMillis, MAX_BURST_MILLIS));
    }
    if (!isPrecise(BigInteger.valueOf(rate.unitsPerMicro()), burstMillis)) {
      throw new IllegalArgumentException(
          "unitsPerMicro × burstMillis: %d × %d (expected: at most %d)"
              .formatted(rate.unitsPerMicro(), burstMillis, MAX_PRECISION));
    }
  }

  /** Whether a bucket of this rate and burst can be counted exactly, see {@link #MAX_PRECISION}. */
  public static boolean isPrecise(BigInteger unitsPerMicro, long burstMillis) {
    return unitsPerMicro
            .multiply(BigInteger.valueOf(burstMillis))
            .compareTo(BigInteger.valueOf(MAX_PRECISION))
        <= 0;
  }

  /** The capacity, in units; below 2⁵³. */
  public long capacityUnits() {
    return rate.unitsPerMicro() * burstMillis * MICROS_PER_MILLI;
  }

  /** Units that drain each microsecond. */
  public long unitsPerMicro() {
    return rate.unitsPerMicro();
  }

  /** Units of one logical operation. */
  public long unitsPerOperation() {
    return rate.unitsPerOperation();
  }
}
