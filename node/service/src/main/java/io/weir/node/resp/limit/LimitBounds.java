package io.weir.node.resp.limit;

import java.math.BigInteger;
import java.util.Optional;

/**
 * The bounds of the limits that requests of a plan may carry.
 *
 * @param maxAtOnce operations
 * @param maxOpsPerSec operations per second
 * @param maxDrainMillis the time that a full limit may take to drain
 */
record LimitBounds(long maxAtOnce, long maxOpsPerSec, long maxDrainMillis) {

  /** The mistake of a limit; empty if it is within these bounds. */
  Optional<String> refusal(RequestLimit limit) {
    if (limit.atOnce() > maxAtOnce) {
      return Optional.of("max_burst: %d and one at once (expected: at most %d at once)"
          .formatted(limit.atOnce() - 1, maxAtOnce));
    }
    // At most 10⁹ × 3.2 × 10⁷.
    if (limit.count() > maxOpsPerSec * limit.periodSeconds()) {
      return Optional.of("count: %d in %d s (expected: at most %d a second)"
          .formatted(limit.count(), limit.periodSeconds(), maxOpsPerSec));
    }
    BigInteger drainMillis = limit.drainMillis();
    return drainMillis.compareTo(BigInteger.valueOf(maxDrainMillis)) > 0
        ? Optional.of("max_burst: the full limit drains in %d ms (expected: at most %d ms)"
            .formatted(drainMillis, maxDrainMillis))
        : Optional.empty();
  }
}
