package io.weir.testkit;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/**
 * A judge that shares no code with any store: it keeps the level of each bucket itself and reports any interval that
 * admitted more than burst + rate × time. Mutable; owned by one test. A bucket of
 * another rate or burst is another bucket.
 *
 * <p>It uses a leaky bucket of unbounded integers: the level after each admission, drained by the time since the
 * previous one, must not exceed the capacity (Cruz 1991, the (σ, ρ) constraint: this is equivalent to the bound in
 * every interval).
 */
public final class PlainBuckets {
  private final Map<Owned, Admission> last = new HashMap<>();

  /** Records the admission of {@code cost} operations of a demand. */
  public void admitted(String owner, Demand demand, long cost, long atMicros) {
    BigInteger units =
        BigInteger.valueOf(demand.unitsPerOperation()).multiply(BigInteger.valueOf(cost));
    Bucket bucket = demand.bucket();
    Admission before =
        last.getOrDefault(new Owned(owner, bucket), new Admission(atMicros, BigInteger.ZERO));
    BigInteger drained = BigInteger.valueOf(atMicros - before.atMicros())
        .multiply(BigInteger.valueOf(bucket.unitsPerMicro()));
    BigInteger level = before.level().subtract(drained).max(BigInteger.ZERO).add(units);
    if (level.compareTo(BigInteger.valueOf(bucket.capacityUnits())) > 0) {
      throw new AssertionError("%s of %s holds %d units (capacity: %d)"
          .formatted(bucket.name(), owner, level, bucket.capacityUnits()));
    }
    last.put(new Owned(owner, bucket), new Admission(atMicros, level));
  }

  private record Owned(String owner, Bucket bucket) {}

  private record Admission(long atMicros, BigInteger level) {}
}
