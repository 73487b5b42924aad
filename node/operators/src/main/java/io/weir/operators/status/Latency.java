package io.weir.operators.status;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** The slowest calls of the last minute, from a histogram that only grows. Mutable; for one thread at a time. */
final class Latency {
  private static final long MINUTE_MILLIS = 60_000;
  private static final double SHARE = 0.99;

  private final Deque<Seen> seen = new ArrayDeque<>();

  private record Seen(long atMillis, List<CountAtBucket> counts) {}

  /** Takes the histogram as it is now; called every two seconds. */
  void see(Timer timer, long nowMillis) {
    if (seen.isEmpty()) {
      seen.addLast(new Seen(nowMillis, List.of())); // calls before the first look count, too
    }
    seen.addLast(new Seen(nowMillis, List.of(timer.takeSnapshot().histogramCounts())));
    while (nowMillis - seen.getFirst().atMillis() > MINUTE_MILLIS) {
      seen.removeFirst();
    }
  }

  /** The number of calls in the last minute. */
  long calls() {
    return seen.isEmpty() ? 0 : calls(seen.getLast().counts().size() - 1);
  }

  /** The bound that 99 of 100 calls of the last minute kept; empty if there were none. */
  OptionalDouble p99Millis() {
    long calls = calls();
    if (calls == 0) {
      return OptionalDouble.empty();
    }
    int bucket = 0;
    while (calls(bucket) < SHARE * calls) {
      bucket++;
    }
    return OptionalDouble.of(seen.getLast().counts().get(bucket).bucket(TimeUnit.MILLISECONDS));
  }

  // The counts of a histogram are cumulative.
  private long calls(int bucket) {
    if (bucket < 0) {
      return 0;
    }
    List<CountAtBucket> before = seen.getFirst().counts();
    double earlier = bucket < before.size() ? before.get(bucket).count() : 0;
    return Math.round(seen.getLast().counts().get(bucket).count() - earlier);
  }
}
