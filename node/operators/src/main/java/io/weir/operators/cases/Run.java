package io.weir.operators.cases;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * The requests of a case from a first one to a last one, with no pause of a minute between: a case is open in that time,
 * and for a minute after. In milliseconds of one clock. Immutable.
 *
 * @param requests how many
 */
record Run(long first, long last, long requests) {
  /** A case is closed so long after its last request. */
  private static final long CLOSES_AFTER_MILLIS = 60_000;

  /** The runs of requests that several saw. */
  static List<Run> joined(Stream<Run> runs) {
    Deque<Run> joined = new ArrayDeque<>();
    runs.sorted(Comparator.comparingLong(Run::first)).forEach(run -> add(joined, run));
    return List.copyOf(joined);
  }

  // Adds a run that does not begin before the others: it goes on with the last one unless that is
  // closed by then.
  private static void add(Deque<Run> runs, Run next) {
    Run before = runs.peekLast();
    if (before != null && before.isOpen(next.first)) {
      runs.removeLast();
      runs.addLast(
          new Run(before.first, Math.max(before.last, next.last), before.requests + next.requests));
    } else {
      runs.addLast(next);
    }
  }

  boolean isOpen(long now) {
    return isOpen(last, now);
  }

  /** Whether a case with this last request is open. */
  static boolean isOpen(long last, long now) {
    return now - last < CLOSES_AFTER_MILLIS;
  }

  /** The same by a clock that is ahead. */
  Run plus(long aheadMillis) {
    return new Run(first + aheadMillis, last + aheadMillis, requests);
  }
}
