package io.weir.inmemory;

import io.weir.core.bucket.Bucket;
import java.math.BigInteger;

/** The same usage at another rate, after a change of policy. */
final class OtherRate {
  private OtherRate() {}

  /**
   * Converts units used under another rate into units of this bucket. The time to drain is kept, so that a change of
   * policy neither forgets nor adds usage. Rounded down, at most the capacity.
   */
  static long carriedOver(long usedUnits, long fromUnitsPerMicro, Bucket to) {
    if (fromUnitsPerMicro == to.unitsPerMicro()) {
      return Math.min(usedUnits, to.capacityUnits());
    }
    // The product has up to 106 bits. This path runs only after a change of policy.
    return rescaled(usedUnits, fromUnitsPerMicro, to.unitsPerMicro(), to.capacityUnits());
  }

  /**
   * Converts units of one rate into units of another with the same time to drain; rounded down, at most {@code most}.
   */
  static long rescaled(long units, long fromUnitsPerMicro, long toUnitsPerMicro, long most) {
    return BigInteger.valueOf(units)
        .multiply(BigInteger.valueOf(toUnitsPerMicro))
        .divide(BigInteger.valueOf(fromUnitsPerMicro))
        .min(BigInteger.valueOf(most))
        .longValueExact();
  }
}
