package io.weir.operators.cases;

import io.weir.operators.top.LimitName;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;

/** The knowledge of one event loop about a case. Mutable; owned by that event loop. */
final class LoopCase {
  private static final int MINUTES = 60;
  private static final long MINUTE_MILLIS = 60_000;
  private static final int SLICES = 10;

  private final CaseName name;
  private final Ring hour;
  private final Ring minute;
  /** Within the last hour, so at most one for each of its minutes: other loops may have seen what came between. */
  private final Deque<Run> runs = new ArrayDeque<>(1);

  private LimitName by;

  LoopCase(CaseName name, LimitName by, long nowMillis) {
    this.name = name;
    this.by = by;
    this.hour = new Ring(MINUTES, MINUTE_MILLIS, nowMillis);
    this.minute = new Ring(SLICES, MINUTE_MILLIS / SLICES, nowMillis);
  }

  CaseName name() {
    return name;
  }

  void count(LimitName by, long nowMillis) {
    this.by = by;
    hour.count(nowMillis);
    minute.count(nowMillis);
    Run last = runs.peekLast();
    if (last == null || last.last() != nowMillis) {
      went(nowMillis);
    }
  }

  private void went(long nowMillis) {
    while (!runs.isEmpty() && !isKept(runs.getFirst(), nowMillis)) {
      runs.removeFirst();
    }
    Run.add(runs, new Run(nowMillis, nowMillis));
  }

  /** The same order as that of {@link Case#MOST_FIRST}. */
  static Comparator<LoopCase> mostFirst(long nowMillis) {
    return Comparator.comparingLong((LoopCase one) -> one.minute.sum(nowMillis))
        .thenComparingLong(one -> one.runs.getLast().last())
        .reversed();
  }

  boolean isOpen(long nowMillis) {
    return runs.getLast().isOpen(nowMillis);
  }

  boolean isKept(long nowMillis) {
    return isKept(runs.getLast(), nowMillis);
  }

  private static boolean isKept(Run run, long nowMillis) {
    return nowMillis - run.last() < MINUTES * MINUTE_MILLIS;
  }

  /** The case by a clock that is ahead. */
  Case toCase(long nowMillis, long aheadMillis) {
    return new Case(
        name,
        by,
        runs.stream()
            .filter(run -> isKept(run, nowMillis))
            .map(run -> run.plus(aheadMillis))
            .toList(),
        hour.counts(nowMillis),
        minute.sum(nowMillis));
  }
}
