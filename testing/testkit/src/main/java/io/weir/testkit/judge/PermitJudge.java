package io.weir.testkit.judge;

import static io.weir.testkit.judge.Verdict.require;

import io.weir.testkit.ManualClock;
import java.util.HashMap;
import java.util.Map;

/**
 * Judges what is held by leases, permits and reservations: a limit of permits has at most so many holders, and what is
 * held can be renewed. After a step back of the clock a lease may last longer, never shorter. Mutable; owned by one test.
 */
final class PermitJudge {
  private final ManualClock clock;
  private final Map<String, Map<String, Term>> terms = new HashMap<>();

  PermitJudge(ManualClock clock) {
    this.clock = clock;
  }

  /** A lease: its end by the clock, and by the time that has passed. */
  private record Term(long ends, long endsPassed) {}

  /** All state was lost. */
  void forget() {
    terms.clear();
  }

  /** A lease begins; so many may be held at once. */
  void held(String limit, String id, long leaseMicros, long most) {
    of(limit).put(id, term(leaseMicros));
    long holders =
        of(limit).keySet().stream().filter(other -> isHeld(limit, other)).count();
    require(holders <= most, limit, ":", holders, "are held of", most);
  }

  /** Whether one more must be admitted now. */
  boolean isFree(String limit, long most) {
    return of(limit).keySet().stream().filter(id -> mayBeHeld(limit, id)).count() < most;
  }

  /** Whether a lease is not over. */
  boolean isHeld(String limit, String id) {
    Term term = of(limit).get(id);
    return term != null && mayBeHeld(limit, id) && clock.passedMicros() < term.endsPassed();
  }

  /** Whether a lease may be not over: the clock was set back. */
  boolean mayBeHeld(String limit, String id) {
    Term term = of(limit).get(id);
    return term != null && clock.getAsLong() < term.ends();
  }

  /** A lease that is not over begins anew. If the answer was that not all is held, a part of it may have. */
  void renewed(String limit, String id, long leaseMicros, boolean isRenewed) {
    of(limit)
        .computeIfPresent(
            id,
            (same, term) -> isRenewed
                ? term(leaseMicros)
                : mayBeHeld(limit, id)
                    ? new Term(clock.getAsLong() + leaseMicros, term.endsPassed())
                    : term);
  }

  /** It is given back. */
  void freed(String limit, String id) {
    of(limit).remove(id);
  }

  private Term term(long leaseMicros) {
    return new Term(clock.getAsLong() + leaseMicros, clock.passedMicros() + leaseMicros);
  }

  private Map<String, Term> of(String limit) {
    return terms.computeIfAbsent(limit, name -> new HashMap<>());
  }
}
