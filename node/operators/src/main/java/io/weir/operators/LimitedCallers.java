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

  /** The slices of counts and cases begin with a second, so that no batch is in two of them. */
  private static final long BATCH_NANOS = 1_000_000_000L;

  private static final int FACTOR = 31;

  private final LoopCounts counts;
  private final LoopCases cases;
  /** By hash; a caller with the same hash replaces the one before. */
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
    int place = place(type, question, limit);
    LimitedCaller known = places[place];
    if (known != null && known.isOf(type, question, limit)) {
      return known;
    }
    if (known != null) {
      known.count(counts, cases);
    }
    LimitedCaller caller = new LimitedCaller(type, question, limit);
    places[place] = caller;
    return caller;
  }

  private static int place(CaseType type, Question question, String limit) {
    int hash = question.subject().id().hashCode();
    hash = FACTOR * hash + question.subject().tenant().hashCode();
    hash = FACTOR * hash + question.operation().hashCode();
    hash = FACTOR * hash + limit.hashCode() + type.hashCode();
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
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
