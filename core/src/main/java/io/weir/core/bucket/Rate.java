package io.weir.core.bucket;

import java.math.BigInteger;

/**
 * The drain rate of a bucket: an exact fraction of operations per microsecond, in lowest terms. It defines the unit in
 * which the bucket counts: one operation is {@code unitsPerOperation} units, and {@code unitsPerMicro} units drain each
 * microsecond. No coarser unit counts the rate exactly, so every number of the bucket is as small as possible.
 *
 * <p>100 operations per second are 1 unit per microsecond and 10,000 units per operation; 15,000,000 per second are 15
 * and 1. Equal rates are equal records, however they were written.
 *
 * @param unitsPerMicro above 0
 * @param unitsPerOperation above 0
 */
public record Rate(long unitsPerMicro, long unitsPerOperation) {
  private static final long MILLI_OP_MICROS_PER_OP = 1_000_000_000;
  private static final int PERCENT = 100;

  public Rate {
    requirePositive("unitsPerMicro", unitsPerMicro);
    requirePositive("unitsPerOperation", unitsPerOperation);
    long common = gcd(unitsPerMicro, unitsPerOperation);
    unitsPerMicro /= common;
    unitsPerOperation /= common;
  }

  /** A rate in thousandths of operations per second. */
  public static Rate ofMilliOpsPerSec(long milliOpsPerSec) {
    requirePositive("milliOpsPerSec", milliOpsPerSec);
    return new Rate(milliOpsPerSec, MILLI_OP_MICROS_PER_OP);
  }

  /**
   * The rate of so many operations in so many microseconds: exact if a bucket of this burst can count it, else slower by
   * less than a millionth.
   *
   * @param burstMillis in which at most 9 × 10⁹ operations drain
   */
  public static Rate countable(long operations, long micros, long burstMillis) {
    Rate exact = new Rate(operations, micros);
    if (Bucket.isPrecise(BigInteger.valueOf(exact.unitsPerMicro()), burstMillis)) {
      return exact;
    }
    long unitsPerMicro = Bucket.MAX_PRECISION / burstMillis;
    BigInteger[] perOperation =
        product(unitsPerMicro, micros).divideAndRemainder(BigInteger.valueOf(operations));
    return new Rate(unitsPerMicro, perOperation[0].longValueExact() + perOperation[1].signum());
  }

  /**
   * Returns this percentage of the rate: exact if a bucket of the burst can count it, else rounded down to a countable
   * rate.
   *
   * @param percent 1 to 100
   * @param burstMillis the burst of the bucket, which counts the whole rate exactly
   */
  public Rate part(int percent, long burstMillis) {
    // Hundredths of a unit, or as fine as the numbers of the part allow; at least whole units.
    long most = Bucket.MAX_PRECISION / burstMillis;
    long finer = Math.max(1, Math.min(PERCENT, most * PERCENT / percent / unitsPerMicro));
    BigInteger units = BigInteger.valueOf(unitsPerMicro)
        .multiply(BigInteger.valueOf(finer * percent))
        .divide(BigInteger.valueOf(PERCENT));
    return new Rate(units.longValueExact(), Math.multiplyExact(unitsPerOperation, finer));
  }

  /** Whether it is slower than another. */
  public boolean isBelow(Rate other) {
    return product(unitsPerMicro, other.unitsPerOperation)
            .compareTo(product(other.unitsPerMicro, unitsPerOperation))
        < 0;
  }

  /** The time that one operation takes to drain, in microseconds, rounded up. */
  public long microsPerOperation() {
    return unitsPerOperation / unitsPerMicro + (unitsPerOperation % unitsPerMicro > 0 ? 1 : 0);
  }

  /** Operations per second, for display. */
  public double opsPerSec() {
    return unitsPerMicro * 1e6 / unitsPerOperation;
  }

  /** {@code <unitsPerMicro>/<unitsPerOperation>}, the form that Redis keeps after the name of a bucket. */
  @Override
  public String toString() {
    return unitsPerMicro + "/" + unitsPerOperation;
  }

  private static BigInteger product(long one, long other) {
    return BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
  }

  private static long gcd(long one, long other) {
    return other == 0 ? one : gcd(other, one % other);
  }

  private static void requirePositive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("%s: %d (expected: > 0)".formatted(name, value));
    }
  }
}
