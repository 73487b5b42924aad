package io.weir.state.degraded;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.weir.core.bucket.Demand;
import io.weir.core.bucket.LeakyBucket;
import io.weir.core.decision.Decision;
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

  /** The known levels of a subject; written in place, because a busy subject's levels change with each request. */
  private static final class Entry {
    private final String tenant;
    private final String subject;
    private final List<Demand> demands;
    private final long[] used;
    private long atNanos;

    Entry(Charge charge) {
      this.tenant = charge.tenant();
      this.subject = charge.subject();
      this.demands = charge.demands();
      this.used = new long[demands.size()];
    }

    boolean isOf(Charge charge) {
      return subject.equals(charge.subject())
          && tenant.equals(charge.tenant())
          && (demands == charge.demands() || demands.equals(charge.demands()));
    }

    // If two threads do so at once, the levels and the instant may be those of either.
    void note(Decision decision, long nowNanos) {
      for (int i = 0; i < used.length; i++) {
        used[i] = decision.usedUnits(i);
      }
      atNanos = nowNanos;
    }
  }

  void note(Charge charge, Decision decision, long nowNanos) {
    // A denial from the cache of a shared bucket lists that bucket alone.
    if (decision.limits().size() != charge.demands().size()) {
      return;
    }
    int slot = slot(charge);
    Entry known = entries.getAcquire(slot);
    if (known != null && known.isOf(charge)) {
      known.note(decision, nowNanos);
    } else {
      Entry made = new Entry(charge);
      made.note(decision, nowNanos);
      entries.setRelease(slot, made);
    }
  }

  /** The units used now in the bucket of a demand, if known. */
  OptionalLong used(Charge charge, int demand, long nowNanos) {
    Entry entry = entries.getAcquire(slot(charge));
    if (entry == null || !entry.isOf(charge)) {
      return OptionalLong.empty();
    }
    long elapsed = NANOSECONDS.toMicros(Math.max(0, nowNanos - entry.atNanos));
    long rate = charge.demands().get(demand).bucket().unitsPerMicro();
    return OptionalLong.of(LeakyBucket.drained(entry.used[demand], rate, elapsed));
  }

  private static int slot(Charge charge) {
    int hash = 31 * charge.subject().hashCode() + System.identityHashCode(charge.demands());
    return (hash ^ hash >>> 14) & SLOTS - 1;
  }
}
