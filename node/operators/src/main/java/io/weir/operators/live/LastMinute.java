package io.weir.operators.live;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** How meters stood about a minute ago: at most ten seconds more, or when the node has started. Safe for use by many threads. */
final class LastMinute {
  private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long EVERY_NANOS = Duration.ofSeconds(10).toNanos();

  private final LongSupplier nanos;
  /** The oldest first; the second one is less than a minute old. */
  private final Deque<Standing> kept = new ArrayDeque<>();

  private record Standing(long atNanos, Map<String, MeterRow> rows) {}

  /** How meters stood at the beginning of the minute, so long ago. Immutable. */
  record Beginning(Duration age, Map<String, MeterRow> rows) {
    /** The counts of a meter since then; empty for one that only stands. */
    Optional<MeterRow> grown(MeterRow now) {
      if (!now.grows()) {
        return Optional.empty();
      }
      MeterRow then = rows.get(now.id());
      return Optional.of(then == null ? now : now.since(then));
    }
  }

  /**
   * A minute that begins now, with meters that have counted nothing.
   *
   * @param nanos a clock that never goes back, such as {@link System#nanoTime}
   */
  LastMinute(LongSupplier nanos) {
    this.nanos = nanos;
    kept.add(new Standing(nanos.getAsLong(), Map.of()));
  }

  /** Whether the meters should be kept again. */
  synchronized boolean isDue() {
    return age(kept.getLast()) >= EVERY_NANOS;
  }

  /** Keeps the meters as they stand now, by their ids. */
  synchronized void keep(Map<String, MeterRow> rows) {
    kept.add(new Standing(nanos.getAsLong(), Map.copyOf(rows)));
    forget();
  }

  /** The beginning of the minute that is over now. */
  synchronized Beginning beginning() {
    forget();
    Standing first = kept.getFirst();
    return new Beginning(Duration.ofNanos(age(first)), first.rows());
  }

  private long age(Standing standing) {
    return nanos.getAsLong() - standing.atNanos();
  }

  private void forget() {
    while (kept.size() > 1 && age(kept.stream().skip(1).findFirst().orElseThrow()) >= KEPT_NANOS) {
      kept.removeFirst();
    }
  }
}
