package io.weir.state.degraded;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Decision;
import io.weir.core.decision.Limit;
import io.weir.core.throttle.Charge;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The last known levels of some subjects' buckets, from answers of the shared state. Two subjects in one slot overwrite
 * each other. Safe for use by many threads.
 */
final class LastLevels {
  private static final int SLOTS = 1 << 14;

  private final AtomicReferenceArray<Entry> entries = new AtomicReferenceArray<>(SLOTS);

  private record Entry(
      String tenant, String subject, List<Demand> demands, Decision decision, long atNanos) {}

  void note(Charge charge, Decision decision, long nowNanos) {
    // A denial from the cache of a shared bucket lists that bucket alone.
    if (decision.limits().size() == charge.demands().size()) {
      entries.setPlain(
          slot(charge),
          new Entry(charge.tenant(), charge.subject(), charge.demands(), decision, nowNanos));
    }
  }

  /** The units used now in the bucket of a demand, if known. */
  OptionalLong used(Charge charge, int demand, long nowNanos) {
    Entry entry = entries.getPlain(slot(charge));
    boolean isKnown = entry != null
        && entry.subject().equals(charge.subject())
        && entry.tenant().equals(charge.tenant())
        && entry.demands().equals(charge.demands());
    if (!isKnown) {
      return OptionalLong.empty();
    }
    Limit limit = entry.decision().limits().get(demand);
    long elapsed = NANOSECONDS.toMicros(Math.max(0, nowNanos - entry.atNanos()));
    long rate = charge.demands().get(demand).bucket().unitsPerMicro();
    return OptionalLong.of(LeakyBucket.drained(limit.usedUnits(), rate, elapsed));
  }

  private static int slot(Charge charge) {
    int hash = 31 * charge.subject().hashCode() + System.identityHashCode(charge.demands());
    return (hash ^ hash >>> 14) & SLOTS - 1;
  }
}
