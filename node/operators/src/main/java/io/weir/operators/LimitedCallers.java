package io.weir.operators;

import io.weir.node.admission.Witness.Question;
import io.weir.operators.cases.CaseType;
import io.weir.operators.cases.LoopCases;
import io.weir.operators.top.LoopCounts;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of callers at their limits, those of one caller within a second together: a flood of denials finds
 * its caller in one place, allocates nothing, and leaves the references of older objects as they are, which the
 * collector would have to follow. All has to be counted before the counts are read. Mutable; owned by one event loop.
 */
final class LimitedCallers {
  /** A power of two. */
  private static final int PLACES = 512;

  /** A caller is in one of so many places, a power of two, so that few take turns in one and are counted each time. */
  private static final int WAYS = 4;

  /** The slices of counts and cases begin with a second, so that no batch is in two of them. */
  private static final long BATCH_NANOS = 1_000_000_000L;

  private static final int FACTOR = 31;

  private final LoopCounts counts;
  private final LoopCases cases;
  /** By hash; the first of the places of a hash has the newest caller, which takes that of the oldest. */
  private final @Nullable LimitedCaller[] places = new LimitedCaller[PLACES];

  /** A clock that goes back stands still. */
  private long latestNanos = Long.MIN_VALUE;

  private long endsNanos = Long.MIN_VALUE;

  LimitedCallers(LoopCounts counts, LoopCases cases) {
    this.counts = counts;
    this.cases = cases;
  }

  /** Adds a request, and returns its caller. */
  LimitedCaller add(CaseType type, Question question, String limit, long nowNanos) {
    latestNanos = Math.max(latestNanos, nowNanos);
    if (latestNanos >= endsNanos) {
      count();
      endsNanos = (Math.floorDiv(latestNanos, BATCH_NANOS) + 1) * BATCH_NANOS;
    }
    LimitedCaller caller = caller(type, question, limit);
    caller.add(latestNanos);
    return caller;
  }

  private LimitedCaller caller(CaseType type, Question question, String limit) {
    int first = place(type, question, limit);
    for (int place = first; place < first + WAYS; place++) {
      LimitedCaller known = places[place];
      if (known != null && known.isOf(type, question, limit)) {
        return known;
      }
    }
    LimitedCaller oldest = places[first + WAYS - 1];
    if (oldest != null) {
      oldest.count(counts, cases);
    }
    System.arraycopy(places, first, places, first + 1, WAYS - 1);
    LimitedCaller caller = new LimitedCaller(type, question, limit);
    places[first] = caller;
    return caller;
  }

  /** The first of the places of a caller. */
  private static int place(CaseType type, Question question, String limit) {
    int hash = question.subject().id().hashCode();
    hash = FACTOR * hash + question.subject().tenant().hashCode();
    hash = FACTOR * hash + question.operation().hashCode();
    hash = FACTOR * hash + limit.hashCode() + type.hashCode();
    return (hash ^ (hash >>> 16)) & (PLACES - WAYS);
  }

  /** Counts all requests that were added. */
  void count() {
    for (LimitedCaller caller : places) {
      if (caller != null) {
        caller.count(counts, cases);
      }
    }
  }
}
