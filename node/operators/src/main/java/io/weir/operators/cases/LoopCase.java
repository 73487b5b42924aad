package io.weir.operators.cases;

import io.weir.operators.top.LimitName;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The knowledge of one event loop about a case. Mutable; owned by that event loop. */
final class LoopCase {
  private static final int MINUTES = 60;
  private static final long MINUTE_MILLIS = 60_000;
  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);
  private static final int SLICES = 10;
  /** Runs of an hour at least, because a minute is between two of them. */
  private static final int MOST_RUNS = 60;

  private final CaseName name;
  private final Ring hour;
  private final Ring minute;
  /** The latest ones of the runs before: other loops may have seen what came between. */
  private final Deque<Run> before = new ArrayDeque<>(1);

  private LimitName by;
  private long first;
  private long last;
  private long requests;

  LoopCase(CaseName name, LimitName by, long nowMillis) {
    this.name = name;
    this.by = by;
    this.hour = new Ring(MINUTES, MINUTE_MILLIS, nowMillis);
    this.minute = new Ring(SLICES, MINUTE_MILLIS / SLICES, nowMillis);
    this.first = nowMillis;
    this.last = nowMillis;
  }

  CaseName name() {
    return name;
  }

  /** Counts requests of one second; others of that second may have been counted, or follow. */
  void count(LimitName by, int more, long firstMillis, long lastMillis) {
    this.by = by;
    hour.add(more, lastMillis);
    minute.add(more, lastMillis);
    if (!isOpen(firstMillis)) {
      begin(firstMillis);
    }
    first = Math.min(first, firstMillis);
    last = Math.max(last, lastMillis);
    requests += more;
  }

  private void begin(long nowMillis) {
    if (before.size() == MOST_RUNS - 1) {
      before.removeFirst();
    }
    before.addLast(run());
    first = nowMillis;
    requests = 0;
  }

  private Run run() {
    return new Run(first, last, requests);
  }

  /** The same order as that of {@link Case#MOST_FIRST}. */
  static Comparator<LoopCase> mostFirst(long nowMillis) {
    return Comparator.comparingLong((LoopCase one) -> one.minute.sum(nowMillis))
        .thenComparingLong(one -> one.last)
        .reversed();
  }

  boolean isOpen(long nowMillis) {
    return Run.isOpen(last, nowMillis);
  }

  boolean isKept(long nowMillis) {
    return nowMillis - last < DAY_MILLIS;
  }

  /** The case by a clock that is ahead. */
  Case toCase(long nowMillis, long aheadMillis) {
    List<Run> runs = Stream.concat(before.stream(), Stream.of(run()))
        .map(run -> run.plus(aheadMillis))
        .toList();
    return new Case(name, by, runs, hour.counts(nowMillis), minute.sum(nowMillis));
  }
}
