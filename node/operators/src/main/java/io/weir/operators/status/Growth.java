package io.weir.operators.status;

import io.weir.operators.cases.Ring;
import java.util.List;
import java.util.OptionalLong;

/** How much a count grew in the last minute, and in each minute of the last hour. Mutable; for one thread at a time. */
final class Growth {
  private static final int MINUTES = 60;
  private static final long MINUTE_MILLIS = 60_000;
  private static final int SLICES = 30;
  /** So many minutes tell what is usual. */
  private static final int LEAST_MINUTES = 10;

  private final Ring minute;
  private final Ring hour;
  private final long begunMillis;
  private long before;

  Growth(long total, long nowMillis) {
    this.minute = new Ring(SLICES, MINUTE_MILLIS / SLICES, nowMillis);
    this.hour = new Ring(MINUTES, MINUTE_MILLIS, nowMillis);
    this.begunMillis = nowMillis;
    this.before = total;
  }

  /** Takes the count as it is now; called every two seconds. */
  void see(long total, long nowMillis) {
    int more = (int) Math.min(Integer.MAX_VALUE / MINUTES, Math.max(0, total - before));
    before = total;
    minute.add(more, nowMillis);
    hour.add(more, nowMillis);
  }

  long lastMinute(long nowMillis) {
    return minute.sum(nowMillis);
  }

  /** The growth in so many minutes, the running one among them. */
  long last(int minutes, long nowMillis) {
    return hour.counts(nowMillis).subList(MINUTES - minutes, MINUTES).stream()
        .mapToLong(Integer::longValue)
        .sum();
  }

  /** The median of the whole minutes of the last hour; empty until there are enough of them. */
  OptionalLong usual(long nowMillis) {
    long whole = (nowMillis - begunMillis) / MINUTE_MILLIS - 1;
    int known = (int) Math.min(MINUTES - 1, whole);
    if (known < LEAST_MINUTES) {
      return OptionalLong.empty();
    }
    List<Integer> sorted = hour.counts(nowMillis).subList(MINUTES - 1 - known, MINUTES - 1).stream()
        .sorted()
        .toList();
    return OptionalLong.of(sorted.get(known / 2));
  }
}
