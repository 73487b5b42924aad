package io.weir.client.check;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The answer to a {@link Check}. Immutable.
 *
 * @param outcome what was decided
 * @param granted the operations that were taken, if the check accepts less than its cost
 * @param full the limits without room, by their names in the policy
 * @param retryAfter for a denial the wait until this caller's own place; zero otherwise
 * @param isEstimate whether no place is kept for the caller: the wait is the node's best guess
 * @param ticket shows the place, if one was wanted and given
 * @param reason why it is never allowed, or the code of a refusal
 * @param id by which operators find a denial
 * @param isDegraded whether a node decided by itself, because the shared state was away
 * @param revision of the policy that decided; 0 if nothing was decided
 */
public record Checked(
    Outcome outcome,
    OptionalLong granted,
    List<String> full,
    Duration retryAfter,
    boolean isEstimate,
    Optional<String> ticket,
    Optional<String> reason,
    Optional<String> id,
    boolean isDegraded,
    long revision) {
  /** The decision. */
  public enum Outcome {
    /** It passes, and is counted. */
    ALLOWED,
    /** It may pass after a wait. */
    DENIED,
    /** No wait helps: the cost is above a limit, or the subject has no access. */
    NEVER_ALLOWED,
    /** No node decided, and {@link OutageMode#ALLOW} lets it pass. */
    ALLOWED_UNDECIDED,
    /** No node decided, and {@link OutageMode#DENY} holds it back. */
    DENIED_UNDECIDED
  }

  public Checked {
    full = List.copyOf(full);
  }

  static Checked undecided(Outcome outcome, Duration retryAfter) {
    return new Checked(
        outcome,
        OptionalLong.empty(),
        List.of(),
        retryAfter,
        true,
        Optional.empty(),
        Optional.of("undecided"),
        Optional.empty(),
        true,
        0);
  }

  /** Whether the work may be done now. */
  public boolean isAllowed() {
    return outcome == Outcome.ALLOWED || outcome == Outcome.ALLOWED_UNDECIDED;
  }

  /** Whether a node decided it. */
  public boolean isDecided() {
    return outcome != Outcome.ALLOWED_UNDECIDED && outcome != Outcome.DENIED_UNDECIDED;
  }
}
